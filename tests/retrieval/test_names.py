"""Names and codes: which words are some, and whether a page has them."""

import pytest

from retrieval.names import names_in, unnamed


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
