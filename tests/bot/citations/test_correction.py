"""The one correction: it names what is wrong, and nothing else."""

from bot.citations import Sources, check, correction
from tests.bot.citations.passages import KASSA, PODS


def test_it_names_claims_and_ids() -> None:
    """The uncited claims in quotation marks, the unknown ids, and the ids there are."""
    sources = Sources("salt")
    ids = sources.add_all((PODS, KASSA))
    said = correction(check(f"Restart. [{ids[0]}] Sell it. Buy it. [S9zz]", sources))
    assert "“Sell it.”" in said
    assert "“Buy it.”" in said
    assert "“Restart" not in said
    assert "S9zz" in said
    assert ", ".join(ids) in said


def test_it_stays_short() -> None:
    """A long answer without a marker is quoted in part, and the rest is counted."""
    said = correction(check(f"Sell {'it ' * 200}now. " * 100, Sources("salt")))
    assert len(said) < 3_000
    assert "and 92 more" in said
