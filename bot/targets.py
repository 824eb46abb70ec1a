"""What a command acts on, and whether the question names another of its kind. Pure.

A runbook's command for one service or host is an example to whoever asks about its neighbour, and
a mistake to whoever copies it at night. A command acts on what it takes without an option: the
`deploy/bellhop-emails` it scales, the `node-b2` it drains; what stands in its options is chosen by
the page.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from bot import code
from bot.pieces import Piece
from bot.wishes import role_of
from retrieval.tokens import index_tokens, query_tokens

__all__ = ["as_if", "elsewhere", "forbidden", "is_elsewhere", "names_of"]

_WORD = re.compile(r"[\w./-]*\w")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+", re.IGNORECASE)
_ALERT = re.compile(r"(?:[A-Z]+[a-z0-9]+){2,}")
_LABELLED = re.compile(r"(?:alertname|app|name|instance|component)=(?P<name>[\w.-]+)")
_RESOURCE = re.compile(r"(?:[a-z]+/)?(?P<name>\w[\w-]*)(?:\.[\w.-]+)?", re.IGNORECASE)
_PART = re.compile(r"[A-Za-z]{4,}")
_NOT_TO = re.compile(r"\b(?:do not|don['’]t|never|must not)\s+(\w+)", re.IGNORECASE)
# How what runs twice is told apart, in words and within names: `spoke-stg`, `db-prod-1`.
_ENVIRONMENTS = {
    "production": re.compile(r"(?<![a-z])prod(?:uction)?(?![a-z])", re.IGNORECASE),
    "staging": re.compile(r"(?<![a-z])(?:staging|stg)(?![a-z])", re.IGNORECASE),
}
_APART = re.compile(r"[-_]")
_MOST = 8  # names that are looked for: a pasted log has hundreds
_LONGEST = 63  # characters of one: no host's or service's is longer


def names_of(text: str) -> tuple[str, ...]:
    """Return the first names of services and hosts in a question: `payments-api`, `db-prod-1`.

    A host's domain is left out. An English compound (`read-only`) looks the same, and is no other
    name of anything.
    """
    words = (word.partition(".")[0] for word in _WORD.findall(text))
    return _first(word for word in words if _NAME.fullmatch(word))


def as_if(question: str, names: Iterable[str], found: Sequence[Piece]) -> str:
    """Return a question as it would be asked of what the runbooks have commands for.

    How `catalog-api` is rolled back may only be told of `checkout-api`; that page is found by its
    own example's name. A name that has commands for what is asked stays, and so does one for which
    it is forbidden.
    """
    for name in names:
        rest = query_tokens(question.replace(name, " "))
        held = {each: _held(each, rest) for each in found if each.is_steps}
        if not rest or any(_speaks_of(each, name) for each in held if held[each]):
            continue
        if any(forbidden(each, question, name) for each in found):
            continue
        alike = ((held[each], other) for each in held for other in _others(each, name))
        share, other = max(alike, key=lambda each: each[0], default=(0, name))
        question = question.replace(name, other) if share else question
    return question


def forbidden(piece: Piece, question: str, name: str = "") -> bool:
    """Say whether a piece forbids what is asked, of a name where one is given.

    It holds all the words, and what it says not to do is one of them: `Do not delete the secret
    to force a renewal` forbids no renewal.
    """
    if role_of(piece.path) != "caution":
        return False
    asked = query_tokens(question)
    return (
        len(asked) > 1
        and _held(piece, asked) == len(asked)
        and any(set(asked).intersection(index_tokens(each)) for each in _NOT_TO.findall(piece.text))
        and (not name or _speaks_of(piece, name))
    )


def elsewhere(
    question: str, names: Iterable[str], quoted: Iterable[Piece], found: Iterable[Piece]
) -> str:
    """Return what is to be said above commands that act on something else than what was named.

    It only leads into what is cited, so it needs no citation.

    Args:
        question: what is asked.
        names: the names in it.
        quoted: what is quoted.
        found: all that might be: `payments` names the `payments-api` that stands there.
    """
    commands = [piece for piece in quoted if any(_lines(piece))]
    if told := _other_environment(question, commands):
        return told
    alerts = _first(_ALERT.findall(question))
    for name in (*names, *alerts, *_implied(question, commands, found)):
        if any(_speaks_of(piece, name) for piece in commands):
            continue
        other = dict.fromkeys(each for piece in commands for each in _others(piece, name))
        if other:
            return (
                f"⚠ No command quoted from the runbooks is for {name}; what follows is for"
                f" {', '.join(other)}:\n\n"
            )
    return ""


def _other_environment(question: str, commands: Iterable[Piece]) -> str:
    """Return what is to be said above commands for production that was not what was asked about.

    And above those for staging, likewise; a question about both, or neither, is told nothing.
    """
    asked = [name for name, means in _ENVIRONMENTS.items() if means.search(question)]
    if len(asked) != 1:
        return ""
    lines = [line for piece in commands for line in _lines(piece)]
    for other, means in _ENVIRONMENTS.items():
        if other not in asked and any(means.search(line) for line in lines):
            return f"⚠ Some commands below are for {other}, and {asked[0]} was asked about:\n\n"
    return ""


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(each for each in names if len(each) <= _LONGEST), _MOST))


def is_elsewhere(piece: Piece, names: Iterable[str]) -> bool:
    """Say whether a piece's commands act on what is only like one of some names."""
    return any(_others(piece, name) for name in names)


def _implied(question: str, commands: Sequence[Piece], found: Iterable[Piece]) -> list[str]:
    """Return the names that a question means by one of their words.

    None where it has a word of what the commands act on: then that is what is meant.
    """
    words = {word.casefold() for word in _PART.findall(question)}
    targets = [each for piece in commands for line in _lines(piece) for each in _targets(line)]
    if not targets or any(words.intersection(_parts(each)) for each in targets):
        return []
    there = {each for piece in found for line in _lines(piece) for each in _targets(line)}
    return sorted(each for each in there if len(words.intersection(_parts(each))) == 1)


def _speaks_of(piece: Piece, name: str) -> bool:
    """Say whether a piece, or a heading above it, has a name."""
    text = "\n".join((*piece.path, piece.words))
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) is not None


def _held(piece: Piece, asked: Sequence[str]) -> int:
    """Return how many of some tokens a piece and its heading hold."""
    return len(set(asked).intersection(index_tokens(f"{piece.heading}\n{piece.words}")))


def _others(piece: Piece, name: str) -> list[str]:
    """Return what a piece's commands act on instead of a name: its like, as it isn't there itself.

    Like it is what begins or ends as it does: `node-b2` and `node-c3`, `www-tls` and `hooks-tls`.
    """
    if _speaks_of(piece, name):
        return []
    found = dict.fromkeys(target for line in _lines(piece) for target in _targets(line))
    return [target for target in found if _alike(target, name)]


def _alike(target: str, name: str) -> bool:
    if _ALERT.fullmatch(target) and _ALERT.fullmatch(name):
        return target != name
    one, other = _parts(target), _parts(name)
    return one != other and len(one) > 1 and (one[0] == other[0] or one[-1] == other[-1])


def _parts(name: str) -> list[str]:
    return _APART.split(name.casefold())


def _lines(piece: Piece) -> Iterable[str]:
    yield from piece.block.replace("\\\n", " ").split("\n")[1:-1]
    for text in (piece.text, *piece.steps):
        spans = (text[start:end].strip("`") for start, end in code.spans(text))
        yield from (span for span in spans if " " in span)


def _targets(line: str) -> Iterable[str]:
    """Yield the names that stand in a command without an option before them."""
    words = line.split()
    for before, word in zip(["", *words], words, strict=False):
        taken = before.startswith("-") and "=" not in before
        label = _LABELLED.match(word)
        found = label or (None if taken else _RESOURCE.fullmatch(word.strip("'\"")))
        if found and (
            _NAME.fullmatch(found["name"]) or (label and _ALERT.fullmatch(label["name"]))
        ):
            yield found["name"]
