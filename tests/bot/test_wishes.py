"""What a question wants, and what a section is for."""

import pytest

from bot.wishes import Role, Wish, role_of, wish_of


@pytest.mark.parametrize(
    ("question", "wish"),
    [
        ("how do I fail over postgres?", "steps"),
        ("KubePodCrashLooping", "steps"),
        ("refunds are stuck", "steps"),
        ("ringpay is down, what now", "steps"),
        ("postgres disk 93% full, can I rm old files in pg_wal", "permission"),
        ("is it safe to drain two nodes?", "permission"),
        ("what does ERR_5032 mean?", "meaning"),
        ("why was the tandem sold twice", "meaning"),
        ("how long does a restore take?", "fact"),
        ("which port does pgbouncer listen on", "fact"),
        ("who owns the ingress?", "fact"),
        ("what is the port of loki?", "fact"),
        ("what is the cause of the lag on the replica?", "meaning"),
        ("what is a SEV2?", "meaning"),
    ],
)
def test_what_a_question_wants(question: str, wish: Wish) -> None:
    """Steps, unless it asks for something else; an alert's name alone is a matter to deal with."""
    assert wish_of(question) == wish


@pytest.mark.parametrize(
    ("path", "role"),
    [
        (("Page",), "intro"),
        (("Page", "Impact"), "intro"),
        (("Page", "Diagnosis", "CLI checks"), "check"),
        (("Page", "Mitigation", "Switch to Kassa"), "remedy"),
        (("Page", "Mitigation", "What not to do"), "caution"),
        (("Page", "Staging"), "aside"),
        (("Page", "Mitigation", "Before you drain"), "before"),
        (("Page", "1. Prerequisites"), "before"),
        (("Page", "The map"), "other"),
        (("How to mitigate", "The map"), "other"),
    ],
)
def test_what_a_section_is_for(path: tuple[str, ...], role: Role) -> None:
    """The innermost heading that tells counts, and never the title."""
    assert role_of(path) == role
