"""Expressions of numbers, worked out exactly and in bounded time and space. Pure.

Python's own parser gives the tree; only what is named here is followed. Numbers are fractions, so
that 0.1 + 0.2 is 0.3, and none may have more than `_MOST_BITS` bits, at any step.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final

__all__ = ["NotComputable", "evaluate", "written"]

_LONGEST: Final = 300  # characters
_MOST_BITS: Final = 4_096
_MOST_PLACES: Final = 100  # that can be rounded to
_MOST_DIGITS: Final = 30  # of a decimal that is written out
_LONGEST_FRACTION: Final = 60
_ABOUT: Final = 12  # significant digits of one that isn't

_NUMBER: Final = r"(?<![\w.])(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?(?![\w.])"
_WORDS: Final = ("abs", "ceil", "floor", "max", "min", "round")
_TOKEN: Final = re.compile(
    rf"\s+|{_NUMBER}|(?<![\w.])(?:{'|'.join(_WORDS)})(?=\s*\()|\*\*|//|[-+*/%(),]"
)
# `5% + 3` would be the remainder of 5 by +3, which nobody means.
_PERCENT: Final = re.compile(r"%\s*(?:$|[-+*/)%,A-Za-z])")
_TYPED: Final = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "\n": " "})


class NotComputable(Exception):
    """An expression has no value here; the message says why, to whoever wrote it."""


_BINARY: Final[Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction | int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def evaluate(expression: str) -> Fraction:
    """Return the value of an expression.

    Raises:
        NotComputable: it is none, divides by zero, or becomes too large.
    """
    source = expression.translate(_TYPED).strip()
    if len(source) > _LONGEST:
        raise NotComputable(f"An expression may have {_LONGEST} characters: do it in steps.")
    if _PERCENT.search(source):
        raise NotComputable("Write a percentage as a fraction of 100: % is the remainder.")
    _refuse_other(source)
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NotComputable(
            "This is no expression of numbers, operators and parentheses that match."
        ) from None
    return _value(tree.body, source)


def written(value: Fraction) -> str:
    """Return a number as a decimal where it ends soon, else as a fraction and about what it is."""
    if value.denominator == 1:
        digits = str(value.numerator)
        return digits if len(digits) <= _MOST_DIGITS else f"{digits} (about {_about(value)})"
    if exact := _decimal(value):
        return exact
    about = f"about {_about(value)}"
    fraction = f"{value.numerator}/{value.denominator}"
    return f"{fraction} ({about})" if len(fraction) <= _LONGEST_FRACTION else about


def _refuse_other(source: str) -> None:
    place = 0
    while place < len(source):
        token = _TOKEN.match(source, place)
        if not token:
            if source[place] == "^":
                raise NotComputable("Write a power with **.")
            word = re.match(r"[\w.]+|.", source[place:])
            raise NotComputable(
                f"`{word[0][:40] if word else ''}` can't be worked out: only numbers,"
                f" + - * / // % **, parentheses and {', '.join(_WORDS)} can."
            )
        place = token.end()


def _value(node: ast.expr, source: str) -> Fraction:
    match node:
        case ast.Constant():
            literal = ast.get_source_segment(source, node) or ""
            return _bounded(Fraction(Decimal(literal)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, source)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, source)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, source), _value(right, source))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _value(left, source), _value(right, source)
            if b == 0 and isinstance(op, ast.Div | ast.FloorDiv | ast.Mod):
                raise NotComputable("This divides by zero.")
            return _bounded(Fraction(_BINARY[type(op)](a, b)))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]):
            return _called(name, [_value(each, source) for each in args])
        case ast.Tuple():
            raise NotComputable("Write numbers without thousands separators, decimals with a dot.")
        case _:
            raise NotComputable("This is no expression of numbers, operators and functions.")


def _called(name: str, values: list[Fraction]) -> Fraction:
    match name, values:
        case "abs", [value]:
            return abs(value)
        case "floor", [value]:
            return Fraction(math.floor(value))
        case "ceil", [value]:
            return Fraction(math.ceil(value))
        case "round", [value]:
            return Fraction(round(value))
        case "round", [value, places] if places.denominator == 1 and abs(places) <= _MOST_PLACES:
            return _bounded(round(value, int(places)))
        case "min" | "max", [_, _, *_]:
            return min(values) if name == "min" else max(values)
        case _:
            raise NotComputable(f"{name} can't be used with these numbers.")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise NotComputable("Only whole exponents can be worked out exactly.")
    if base == 0 and exponent < 0:
        raise NotComputable("This divides by zero.")
    if _bits(base) * abs(exponent) > _MOST_BITS:
        raise NotComputable(_too_large())
    return Fraction(base ** int(exponent))


def _bounded(value: Fraction) -> Fraction:
    if _bits(value) > _MOST_BITS:
        raise NotComputable(_too_large())
    return value


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _too_large() -> str:
    return f"A number on the way has more than about {_MOST_BITS * 3 // 10} digits."


def _decimal(value: Fraction) -> str | None:
    """Return a fraction as a decimal, or nothing when it doesn't end within some digits."""
    twos, rest = 0, value.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    fives = 0
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    places = max(twos, fives)
    if rest != 1 or places > _MOST_DIGITS:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    if len(digits) > _MOST_DIGITS:
        return None
    return f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}"


def _about(value: Fraction) -> str:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{exact:.{_ABOUT}g}"
