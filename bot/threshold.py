"""Doctor's word on NO_MATCH: what decides it, how old that is, and whether it still fits."""

from datetime import UTC, datetime

from bot.finding import Finding
from bot.settings import Settings
from retrieval.calibration import Calibration, corpus_now, newest
from schema import Pool

__all__ = ["threshold"]

_NAME = "threshold"
_AGAIN = "Run `footnote eval calibrate QUESTIONS` again."


async def threshold(settings: Settings, pool: Pool) -> Finding:
    """Say what refuses questions now, and what has moved since it was measured."""
    if settings.max_distance is not None:
        said = f"NO_MATCH above distance {settings.max_distance}, as FOOTNOTE_MAX_DISTANCE says"
        return Finding(_NAME, "ok", said)
    kept = await newest(pool)
    if kept is None:
        return _not_calibrated(bundled=settings.embedder_url is None)
    now = await corpus_now(pool)
    moved = kept.moved(now)
    if kept.gates.judge == "reranker" and kept.reranker != settings.reranker_model:
        moved.append(f"The reranker isn't {kept.reranker}, whose scores were measured.")
    detail = f"{_said(kept)}; {now.documents} documents now, {kept.documents} then"
    if moved:
        return Finding(_NAME, "warning", detail, " ".join([*moved, _AGAIN]))
    return Finding(_NAME, "ok", detail)


def _said(kept: Calibration) -> str:
    gates = kept.gates
    age = "just now"
    if kept.made_at is not None and (days := (datetime.now(UTC) - kept.made_at).days):
        age = f"{days} days ago"
    return (
        f"calibrated {age} with {kept.embedder}: NO_MATCH below {gates.judge}"
        f" {gates.minimum:.2f} or above distance {gates.max_distance:.2f}"
    )


def _not_calibrated(*, bundled: bool) -> Finding:
    advice = "Measure on your own questions: `footnote eval init`, then `footnote eval calibrate`."
    if bundled:
        return Finding(_NAME, "ok", f"the default, measured on public runbooks. {advice}")
    said = "the default was measured for the bundled embedder, and another one is set"
    return Finding(_NAME, "warning", said, advice)
