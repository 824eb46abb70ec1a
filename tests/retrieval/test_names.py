"""Names and codes: which words are some, and whether a page has them."""

import pytest

from retrieval.names import codes_in, holds, names_in, unnamed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what does error code E42 mean", ["E42"]),
        ("KubePodCrashLooping on node-b2, again", ["KubePodCrashLooping"]),
        ("nf_conntrack: table full", ["nf_conntrack"]),
        ("is ERR_5032 safe to retry?", ["ERR_5032"]),
        ("VMCannotBeEvicted or V4SubnetFull", ["VMCannotBeEvicted", "V4SubnetFull"]),
        ("the DB is at 93% for 3 min, PostgreSQL 16", ["PostgreSQL"]),
        ("Checkout is slow since 10:30", []),
    ],
)
def test_names_are_told_from_words(text: str, names: list[str]) -> None:
    """Alerts, codes and identifiers; no plain word, number, time or host."""
    assert names_in(text) == names


def test_a_name_is_found_however_it_is_written() -> None:
    """`KubeNodeNotReady` stands in a title as `Kube Node Not Ready`; half of two is a half."""
    assert unnamed("KubeNodeNotReady", ["Kube Node Not Ready"]) == 0.0
    assert unnamed("KubeNodeNotReady or E42?", ["kubenodenotready"]) == 0.5
    assert unnamed("E42", ["E41", "E43"]) == 1.0
    assert unnamed("no names here", []) == 0.0


@pytest.mark.parametrize(
    ("text", "code", "held"),
    [
        ("| VLT-77 | 1 hour |", "VLT-77", True),
        ("vlt 77: the lease", "vlt-77", True),
        ("see VLT-771 and XVLT-77", "VLT-77", False),
        ("the pool of NODE42", "E42", False),
        ("ends with `E42`.", "E42", True),
        ("log: ERR\\_5032", "ERR_5032", True),
    ],
)
def test_a_code_counts_only_whole(text: str, code: str, *, held: bool) -> None:
    """It is no part of a longer one, and may be joined in another way."""
    assert holds(text, code) is held


@pytest.mark.timeout(20)
def test_of_a_pasted_log_the_first_names_count() -> None:
    """Thousands of codes, or one without an end, aren't each looked for in every page."""
    log = " ".join(f"ERR_{number}" for number in range(20_000))
    assert unnamed(log, ["ERR_1 and ERR_2 " * 100] * 4) > 0.9
    assert codes_in(log)[:3] == ["ERR_0", "ERR_1", "ERR_2"]
    assert names_in("E1" * 4_000) == []
