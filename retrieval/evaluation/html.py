"""The report as one page of HTML: no script, no network, plots as inline SVG. Pure."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any, Final

from retrieval.evaluation.measures import MEASURES
from retrieval.evaluation.plots import bars, risk_coverage_plot

__all__ = ["page"]

# Read with the module, like code, so that nothing is read while a loop runs.
_STYLE: Final = resources.files(__package__ or "").joinpath("report.css").read_text("utf-8")

_NAMES: Final = {
    "vector": "by meaning",
    "keyword": "by words",
    "fused": "both, fused",
    "reranked": "fused, reranked",
    "confidence": "confidence (all of them)",
    "distance": "nearest distance",
    "strength": "keyword strength",
    "coverage": "words covered",
    "distance_lead": "lead by distance",
    "title": "title in the question",
    "unnamed": "names that pages have",
    "words": "words in the question",
    "maxsim": "read token by token",
    "reranker": "reranker's best score",
    "written": "other matters",
    "left-out": "page missing",
}
_MEANT: Final = {
    "hit@1": "The first document answers.",
    "hit@4": "One of the first four, which an answer is made of, answers.",
    "recall@4": "Share of all answering documents among the first four.",
    "recall@20": "The same among the twenty that are looked at.",
    "nDCG@10": "How high the answering ones stand among ten; 1 is: at the top.",
    "MRR": "One over the place of the first that answers, on average.",
}


def page(report: Mapping[str, Any]) -> str:
    """Return the page."""
    parts = [
        _head(report),
        *[f"<p class=note>{escape(note)}</p>" for note in report["notes"]],
        _cards(report),
        _searches(report),
        _gate(report),
        _groups(report),
        _timings(report),
        _missed(report),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Footnote: how well it finds</title><style>{_STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _head(report: Mapping[str, Any]) -> str:
    cases = report["cases"]
    asked = f"{cases['answerable']} questions with an answer, {cases['others']} without"
    made_at = report["made_at"][:16].replace("T", " ")
    told = (
        f"{asked}; {report['documents']} documents. {report['embedder']}, engine "
        f"{report['engine']}, {report['reranker'] or 'no reranker'}. {made_at} UTC."
    )
    return f"<header><h1>How well Footnote finds</h1><p class=lead>{escape(told)}</p></header>"


def _cards(report: Mapping[str, Any]) -> str:
    cards: list[str] = []
    if report["searches"]:
        last = report["searches"][-1]
        cards.append(_card(_percent(last["hit@4"]["value"]), "of questions find their page"))
    if report["gate"]:
        tested = report["gate"]["outcome"]["test"]
        for kind, found in tested.items():
            if not cards[1:]:
                cards.append(_card(_percent(found["coverage"]), "of them are answered"))
            wrong = f"false answers, {_NAMES[kind]}"
            cards.append(_card(_percent(found["false_answers"]), wrong))
    total = next((row for row in report["timings_ms"] if row["stage"] == "total"), None)
    if total:
        cards.append(_card(f"{total['p95']:.0f} ms", "for 95 % of searches"))
    return f"<section class=cards>{''.join(cards)}</section>"


def _card(value: str, text: str) -> str:
    return f"<div class=card><b>{escape(value)}</b><span>{escape(text)}</span></div>"


def _searches(report: Mapping[str, Any]) -> str:
    rows = report["searches"]
    if not rows:
        return ""
    plots = "".join(
        f"<figure><figcaption><b>{name}</b> {escape(_MEANT[name])}</figcaption>"
        + bars([(_NAMES[row["name"]], row[name]) for row in rows])
        + "</figure>"
        for name in ("hit@4", "nDCG@10", "recall@20")
    )
    gains = "".join(f"<li>{_gain(each)}</li>" for each in report["differences"])
    return (
        "<section><h2>Which search finds it</h2>"
        f"<div class=plots>{plots}</div><ul>{gains}</ul>"
        f"{_measures('search', rows)}{_glossary()}</section>"
    )


def _gain(found: Mapping[str, Any]) -> str:
    text = (
        f"{_NAMES[found['of']]} against {_NAMES[found['over']]}, {found['measure']}: "
        f"{found['value']:+.3f} (95 %: {found['low']:+.3f} to {found['high']:+.3f})"
    )
    return escape(text) + (" <em>within noise</em>" if found["noise"] else "")


def _glossary() -> str:
    told = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in _MEANT.items())
    return f"<details><summary>What the columns mean</summary><dl>{told}</dl></details>"


def _gate(report: Mapping[str, Any]) -> str:
    gate = report["gate"]
    if not gate:
        return ""
    plots = [
        f"<figure><figcaption><b>{_NAMES[against]}</b>, {half} half</figcaption>"
        + risk_coverage_plot(
            [
                (_NAMES[each["signal"]], each["points"])
                for each in gate["curves"]
                if each["half"] == half and each["against"] == against
            ],
            _mark(gate, half, against),
        )
        + "</figure>"
        for against in ("written", "left-out")
        for half in ("calibration", "test")
        if any(each["half"] == half and each["against"] == against for each in gate["curves"])
    ]
    return (
        "<section><h2>When it says NO_MATCH</h2><p>To the right more questions get an answer, "
        "upwards more get one that they should not: the best curve stays low for long. The ring is "
        "the threshold. It was chosen on one half of the questions; only the test half says what "
        "to expect. “Page missing” asks the answerable questions again without the pages that "
        "answer them and without pages nearly like those.</p>"
        f'<div class="plots pairs">{"".join(plots)}</div>{_outcome(gate)}{_signals(gate)}</section>'
    )


def _mark(gate: Mapping[str, Any], half: str, against: str) -> tuple[float, float] | None:
    found = gate["outcome"][half].get(against)
    return (found["coverage"], found["false_answers"]) if found else None


def _outcome(gate: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th>{half}</th><td>{_NAMES[kind]} ({found['others']})</td>"
        f"<td>{_range(found, 'coverage', 'coverage')}</td>"
        f"<td>{_range(found, 'false_answers', 'false')}</td></tr>"
        for half, kinds in gate["outcome"].items()
        for kind, found in kinds.items()
    )
    head = "<tr><th>half</th><th>not answerable</th><th>answered</th><th>false answers</th></tr>"
    return f"<div class=wide><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>"


def _signals(gate: Mapping[str, Any]) -> str:
    found: dict[str, dict[tuple[str, str], float | None]] = {}
    for each in gate["curves"]:
        found.setdefault(each["signal"], {})[each["against"], each["half"]] = each["auroc"]
    columns = [(kind, half) for kind in ("written", "left-out") for half in ("calibration", "test")]
    head = "".join(f"<th>{_NAMES[kind]}, {half}</th>" for kind, half in columns)
    rows = "".join(
        f"<tr><th>{escape(_NAMES[signal])}</th>"
        + "".join(f"<td>{_number(by.get(column))}</td>" for column in columns)
        + "</tr>"
        for signal, by in found.items()
    )
    return (
        "<h3>What each signal tells apart</h3><p>The share of pairs in which the question with an "
        "answer has the better value (AUROC): 1 is always, 0.5 is by chance.</p>"
        f"<div class=wide><table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody>"
        "</table></div>"
    )


def _groups(report: Mapping[str, Any]) -> str:
    parts = [
        f"<section><h2>By {title}</h2>{_measures(title, report[key])}</section>"
        for title, key in (("service", "services"), ("kind", "kinds"))
        if len(report[key]) > 1
    ]
    return "".join(parts)


def _measures(what: str, rows: Sequence[Mapping[str, Any]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in MEASURES)
    body = "".join(
        f"<tr><th>{escape(_NAMES.get(str(row['name']), str(row['name'])))}"
        + (f" <small>{row['cases']}</small>" if "cases" in row else "")
        + "</th>"
        + "".join(f"<td>{_figure(row[name])}</td>" for name in MEASURES)
        + "</tr>"
        for row in rows
    )
    return (
        f"<div class=wide><table><thead><tr><th>{what}</th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _figure(found: Mapping[str, float]) -> str:
    return f"{found['value']:.3f} <small>{found['low']:.2f}–{found['high']:.2f}</small>"


def _timings(report: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th>{row['stage']}</th><td>{row['p50']:.1f}</td><td>{row['p95']:.1f}</td></tr>"
        for row in report["timings_ms"]
    )
    return (
        "<section><h2>How long it takes</h2><div class=wide><table><thead><tr><th>stage</th>"
        "<th>half within, ms</th><th>95 % within, ms</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _missed(report: Mapping[str, Any]) -> str:
    if not report["missed"]:
        return ""
    items = "".join(
        f"<li><b>{escape(each['question'])}</b><br>wanted {escape(', '.join(each['files']))}"
        f"<br>found {escape(', '.join(each['found']) or 'nothing')}</li>"
        for each in report["missed"]
    )
    return f"<section><h2>Not among the first four</h2><ul class=missed>{items}</ul></section>"


def _range(found: Mapping[str, Any], name: str, prefix: str) -> str:
    low, high = found[f"{prefix}_low"], found[f"{prefix}_high"]
    return f"{found[name]:.0%} <small>{low:.0%}–{high:.0%}</small>"


def _percent(value: float) -> str:
    return f"{value:.0%}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
