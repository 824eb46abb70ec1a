"""The modal *Why this answer?*. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.mrkdwn import cut, escape, one_line
from bot.outcome import Searched
from bot.replies.blocks import Block, context, divider, plain_text, section
from bot.replies.searching import searched
from bot.steps import Step
from bot.why import Chunk, Why, candidates
from retrieval.documents import STAGES

__all__ = ["why_view"]

_SEARCHES = 4
_CANDIDATES = 8
_BLOCKS = 95
_PLACES = {"total": 99} | {stage: place for place, stage in enumerate(STAGES)}
_STOPS = {
    "cited": "Every claim shown cites a passage.",
    "no_match": "No search came near enough.",
    "uncited": "Nothing of what was said carried a citation.",
    "budget": "It ran out of time or rounds.",
    "error": "Something failed.",
}


def why_view(why: Why) -> dict[str, Any]:
    """Return the modal: each search with both ranks, the model, the times, the versions."""
    searches = [step for step in why.steps if step.kind == "search"]
    blocks = [
        section(_STOPS.get(why.outcome.stop_reason, why.outcome.stop_reason)),
        *(block for step in searches[:_SEARCHES] for block in _search(step, why)),
        divider(),
        *_memories(why),
        *_model(why),
        *_times(why),
        *_versions(why),
        context(f"Trace `{why.turn}`: `footnote trace {why.turn}` shows all of it."),
    ]
    return {
        "type": "modal",
        "title": plain_text("Why this answer?"),
        "close": plain_text("Close"),
        "blocks": blocks[:_BLOCKS],
    }


def _search(step: Step, why: Why) -> Iterator[Block]:
    services, doc_types = tuple(step.data["services"]), tuple(step.data["doc_types"])
    facts = [*_gates(step, why.outcome.max_distance)]
    facts.append("so no match" if step.data.get("no_match") else f"{step.data['passages']} read")
    head = searched(Searched(str(step.data["query"]), services, doc_types))
    yield section(f"*Search by {one_line(str(step.data['by']), 40)}:* {head}\n{', '.join(facts)}")
    rows = [_candidate(each, why.chunks) for each in candidates(step)[:_CANDIDATES]]
    if rows:
        yield section("\n".join(rows))


def _gates(step: Step, farthest: float | None) -> Iterator[str]:
    """Say what a search was judged by, in words: its score is no probability of being right."""
    nearest, sure = step.data.get("best_distance"), step.data.get("confidence")
    refused, least = bool(step.data.get("no_match")), step.data.get("min_confidence")
    too_far = isinstance(nearest, float) and farthest is not None and nearest > farthest
    if isinstance(nearest, float):
        scale = (
            f" (0 is the same text, over {farthest:g} is too far)" if farthest is not None else ""
        )
        yield f"nearest passage at distance {nearest:.2f}{scale}"
    if too_far and not refused:
        yield "but one has the very words or code"
    elif isinstance(sure, float) and isinstance(least, float) and not too_far:
        verdict = "sure enough" if sure >= least else "not sure enough"
        yield f"{verdict} (score {sure:.2f}, {least:.2f} is needed)"


def _candidate(found: Mapping[str, Any], chunks: Mapping[str, Chunk]) -> str:
    chunk = chunks.get(str(found["chunk_id"]))
    name = "a passage that is gone" if chunk is None else one_line(chunk.title, 80)
    if chunk is not None and chunk.heading and chunk.heading != chunk.title:
        name += f" › {one_line(chunk.heading, 60)}"
    facts = [
        _place(found.get("vector_rank"), "by meaning"),
        _place(found.get("keyword_rank"), "by words"),
        f"fused score {float(found.get('rrf_score') or 0):.4f}",
    ]
    if isinstance(found.get("distance"), float):
        facts[0] += f" (distance {found['distance']:.2f})"
    if isinstance(found.get("rerank_score"), float):
        facts.append(f"reranker's score {found['rerank_score']:.2f}")
    return f"• {name}\n    {' · '.join(facts)}"


def _place(rank: object, how: str) -> str:
    return f"not found {how}" if rank is None else f"no. {rank} {how}"


def _memories(why: Why) -> list[Block]:
    """Say how many memories were used, as the footer does; what they say is the asker's own."""
    used = why.outcome.memories
    return [section(f"*Memories of whoever asked:* {used} used.")] if used else []


def _model(why: Why) -> list[Block]:
    calls = [step for step in why.steps if step.kind == "model"]
    if not calls:
        quoted = "; these are quotations" if why.outcome.citations else ""
        return [section(f"*Model:* none{quoted}.")]
    seconds = sum(step.milliseconds or 0 for step in calls) / 1000
    tokens = sum(
        int(step.data.get(each) or 0)
        for step in calls
        for each in ("prompt_tokens", "completion_tokens")
    )
    corrected = any(step.kind == "correction" for step in why.steps)
    facts = [
        one_line(why.outcome.model or "unnamed", 80),
        f"{len(calls)} call{'s' if len(calls) > 1 else ''}",
        f"{seconds:.1f} s",
        f"{tokens} tokens",
        *(["corrected once"] if corrected else []),
    ]
    return [section(f"*Model:* {' · '.join(facts)}")]


def _times(why: Why) -> list[Block]:
    # The stored object has lost its order: the stages as they come, what isn't known, the total.
    stages = sorted(why.outcome.timings_ms.items(), key=lambda each: _PLACES.get(each[0], 50))
    times = [f"{escape(name)} {ms:.0f} ms" for name, ms in stages]
    return [section(f"*Times:* {' · '.join(times)}")] if times else []


def _versions(why: Why) -> list[Block]:
    cited = {each.passage.chunk_id for each in why.outcome.citations}
    chunks = [each for each in why.chunks.values() if each.id in cited]
    lines = [
        f"• {one_line(title, 80)}: {changed:%Y-%m-%d}, version `{version}`"
        for title, changed, version in sorted({(c.title, c.changed_at, c.version) for c in chunks})
    ]
    return [section(cut("*Documents now:*\n" + "\n".join(lines), 2_900))] if lines else []
