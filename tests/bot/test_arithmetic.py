"""Expressions: their exact values, and what is refused before it takes time."""

import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.arithmetic import NotComputable, evaluate, written


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("30*24*60*60", "2592000"),
        ("99.9/100*30*24*60", "43156.8"),
        ("1/3", "1/3 (about 0.333333333333)"),
        ("-2**2", "-4"),
        ("2**-3**2", "0.001953125"),
        ("-7//2", "-4"),
        ("-7 % 3", "2"),
        ("1_000 × 2.5e3 − .5 ÷ 2", "2499999.75"),
        ("round(10/3, 2)", "3.33"),
        ("round(1234, -2)", "1200"),
        ("ceil(7/2) + floor(7/2) - abs(-1)", "6"),
        ("max(1, 2.5, 2) * min(4, 3)", "7.5"),
        ("-0.5", "-0.5"),
        ("12345678901234567890.125", "12345678901234567890.125"),
        ("10**40", f"1{'0' * 40} (about 1.00000000000e+40)"),
        ("(2/3)**400", "about 3.66012887782e-71"),
        ("(" * 100 + "1" + ")" * 100, "1"),
    ],
)
def test_values_are_exact(expression: str, value: str) -> None:
    """Decimals that end are written out; of others the fraction, as long as it can be read."""
    assert written(evaluate(expression)) == value


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("2**10**10", "digits"),
        ("9**9**9**9", "digits"),
        ("1e9999", "digits"),
        ("1e99999", "`1e99999` can't be worked out"),
        ("*".join(["1e900"] * 9), "digits"),
        ("round(1, 10**9)", "can't be used with these numbers"),
        ("2**0.5", "whole exponents"),
        ("1/0", "divides by zero"),
        ("5 % (1-1)", "divides by zero"),
        ("0**-1", "divides by zero"),
        ("1,000 * 3", "thousands separators"),
        ("100 - 5% + 3", "percentage"),
        ("15% of 200", "percentage"),
        ("3^2", "power with [*][*]"),
        ("1 +", "that match"),
        ("((1)", "that match"),
        ("", "that match"),
        ("(" * 299, "that match"),
        ("007", "that match"),
        ("1 " * 150, "that match"),
        ("5 MB", "`MB` can't be worked out"),
        ("__import__('os').system('true')", "`__import__` can't"),
        ("abs", "`abs` can't"),
        ("abs()", "numbers, operators and functions"),
        ("abs(1, 2)", "abs can't be used"),
        ("min(1)", "min can't be used"),
        ("1(2)", "numbers, operators and functions"),
        ("9" * 301, "300 characters"),
    ],
)
def test_what_has_no_value_says_why(expression: str, reason: str) -> None:
    """Too large, by zero, of other things than numbers: a sentence, and at once."""
    with pytest.raises(NotComputable, match=reason):
        evaluate(expression)


@given(st.text(alphabet="0123456789.e+-*/%(), absminroudflc_^\n\\#'\"[]{}:=", max_size=60))
def test_any_text_ends_in_a_value_or_a_sentence(text: str) -> None:
    """Nothing else is raised, no warning is given, and the value can be written."""
    try:
        shown = written(evaluate(text))
    except NotComputable as error:
        shown = str(error)
    assert 0 < len(shown) < 1_400


@given(st.decimals(-(10**9), 10**9, places=3), st.decimals(-(10**9), 10**9, places=3))
def test_decimals_add_up(one: Fraction, other: Fraction) -> None:
    """As a person does it on paper: what is written reads back as the exact value."""
    for sign, does in (("+", operator.add), ("-", operator.sub), ("*", operator.mul)):
        value = evaluate(f"({one}) {sign} ({other})")
        assert value == does(Fraction(one), Fraction(other))
        assert Fraction(written(value)) == value
