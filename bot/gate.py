"""Does this message want an answer? Silence is the right reply to `thanks!`. Pure.

Mentions and direct messages are answered unless they are mere courtesies. In a thread of ours
every further message is answered, except courtesies and two people talking to each other, unless
the channel wants mentions only, or somebody has said to be quiet there.
"""

import re
from typing import Literal

from bot.events import Kind

__all__ = ["Silence", "is_mute", "is_question", "is_stop", "replaces", "silence"]

type Silence = Literal[
    "courtesy", "two_people", "not_ours", "stop", "mute", "muted", "mentions_only", "not_a_question"
]

_STOPS = frozenset({"stop", "stop it", "stop please", "please stop", "cancel", "abort", "halt"})
_MUTES = frozenset(
    line.strip()
    for line in """
    mute / mute here / mute this / mute this thread / mute yourself / mute please / please mute
    quiet / quiet here / quiet please / be quiet / be quiet here / be quiet in here
    be quiet please / please be quiet / please be quiet here / stay quiet / keep quiet / shut up
    hush / silence / be silent / stay out of this / stay out of this thread / stop answering
    stop answering here / stop following / stop following this thread / unfollow
    unfollow this thread / leave us alone
    """.replace("/", "\n").splitlines()
    if line.strip()
)

_COURTESIES = frozenset(
    line.strip()
    for line in """
    thanks / thank you / thank u / thx / thanx / ty / tysm / tyvm / cheers / ta / merci / danke
    gracias / much appreciated / appreciated / appreciate it / thanks a lot / thanks a ton
    thanks a million / thanks so much / thank you so much / thank you very much / many thanks
    hi / hello / hey / hiya / yo / morning / good morning / good afternoon / good evening
    good night / gm / bye / cya / see you / welcome / you're welcome / yw / np / no problem
    no worries / ok / okay / k / kk / cool / nice / nice one / great / perfect / awesome
    amazing / excellent / lovely / sweet / neat / brilliant / super / yes / yep / yeah / yup / no
    nope / sure / right / exactly / agreed / indeed / lol / haha / ha / oops / sorry / my bad
    got it / makes sense / understood / roger / roger that / ack / acked / acknowledged / copy
    copy that / noted / will do / wfm / sgtm / lgtm / +1 / done / fixed / resolved / solved / worked
    works / works now / works for me / that worked / it worked / this worked / that works
    it works / that helped / this helped / that helps / this helps / that did it / that fixed it
    that solved it / that did the trick / it works now / that worked great / that worked perfectly
    all good / all good now / we're good / we are good / we're good now / never mind / nevermind
    nvm / good bot / good job / good one / good work / good point / good call / well done
    you rock / on it / brb / unmute / come back
    """.replace("/", "\n").splitlines()
    if line.strip()
)
_FILLERS = frozenset(
    {"a", "again", "all", "and", "bot", "both", "everyone", "folks", "footnote", "guys", "i", "lot"}
    | {"man", "mate", "much", "now", "please", "really", "so", "team", "then", "there", "very"}
    | {"you"}
)
_LONGEST_PHRASE = 5  # words
_LONGEST_COURTESY = 12  # words

_EMOJI = re.compile(r":[a-z0-9_+\-]+:|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]")
_PERSON = r"(?:<@[UW][A-Z0-9]+(?:\|[^>]*)?>|<!(?:subteam\^|here|channel|everyone)[^>]*>|@\w[\w.-]*)"
_OTHER_PERSON = re.compile(_PERSON)
# `<@U1> can you`, `hey <@U1>, …`, `cc @ben`; or a name before a comma, and what that person may do.
_ADDRESSED = re.compile(
    rf"""[^\w<@]*(?:(?:hey|hi|hello|yo|ok|okay|so|and|but|thanks|thank\ you|thx|cc|ping|fyi|morning
        |good\ (?:morning|evening|afternoon))[\s,.!:]+)*{_PERSON}""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMED = re.compile(
    r"\W*(?:(?:[Hh]ey|[Hh]i|[Hh]ello|[Tt]hanks|[Oo]k|[Yy]o)[\s,]+)?(?!Footnote\b|Hey\b|Hi\b|Hello\b)"
    r"[A-Z][a-z]{1,20}(?:, |: | - )(?:(?:can|could|would|will|do|did|are|have|were|should) you"
    r"|please|pls|you )\b"
)
_YOU = re.compile(r"\byou(?:r|rs|'re|'ve|'ll|'d)?\b", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+")
_TALK = re.compile(
    r"(?:i(?:'ll|'m|'ve|'d)|i (?:am|will|have|can|did|just|think|guess)|let me|on it|looking"
    r"|we(?:'ll|'re|'ve)|brb|joining|taking (?:this|it|a look)|fyi|you (?:should|could|can))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|^\W*(?:who|whom|whose|what|whats|when|where|wheres|which|why|how|hows|is|are|was|were|do"
    r"|does|did|can|could|should|would|will|shall|may|has|have|any|anyone|anybody|show|tell|list"
    r"|explain|find|give|describe|help|and|or)\b",
    re.IGNORECASE,
)

# `sorry, I meant ERR_5033`: whoever says so wants no answer to what they asked before.
_CORRECTS = re.compile(
    r"""\W*(?:(?:no|nope|oh|oops|ah|argh|hm+|sorry|wait|ok|actually|rather)\b[\s,.!;:…–-]*)*
        (?:(?:what\ )?i\ (?:actually\ |really\ |of\ course\ )?meant?\b|make\ that\b|correction\b
        |scratch\ (?:that|this)\b|let\ me\ re(?:phrase|word)\b
        |i\ should\ have\ (?:said|asked|written)\b
        |(?:forget|ignore)\ my\ (?:last\ |previous\ |first\ )?(?:question|message)\b)""",
    re.IGNORECASE | re.VERBOSE,
)


def replaces(kind: Kind, text: str) -> bool:
    """Tell whether a message puts right what its author has just asked."""
    said = kind in {"mention", "direct", "reply"} and _CORRECTS.match(_plain(text)) is not None
    return said and not _is_talk(text)


def silence(
    kind: Kind, text: str, *, ours: bool, mentions_only: bool = False, muted: bool = False
) -> Silence | None:
    """Return why a message gets no answer, or None when it gets one.

    Args:
        kind: how the message reached the bot.
        text: its words, the bot's own mention already taken out.
        ours: whether the bot has been asked in this thread before.
        mentions_only: whether the channel wants no answer to anything but a mention.
        muted: whether somebody has said to be quiet in this thread.
    """
    if kind in {"alert", "click", "quiet", "share"}:
        return None
    verdicts: tuple[tuple[Silence, bool], ...] = (
        ("stop", is_stop(text)),
        ("not_ours", kind == "reply" and not ours and not _is_courtesy(text)),
        ("muted", muted and kind != "mention"),
        ("mute", is_mute(text)),
        ("courtesy", _is_courtesy(text)),
        ("mentions_only", kind == "reply" and mentions_only),
        ("not_a_question", kind == "question" and not is_question(_ADDRESS.sub(" ", text))),
        ("two_people", kind in {"reply", "question"} and _is_talk(text)),
    )
    return next((why for why, holds in verdicts if holds), None)


def _is_talk(text: str) -> bool:
    """Tell whether people talk to each other: to somebody, or of what they are doing."""
    plain = _plain(text)
    if _ADDRESSED.match(plain) or _NAMED.match(plain):
        return True
    if _TALK.match(plain) and "?" not in plain:
        return True
    # Who asks for somebody, asks; who asks somebody, says "you".
    return bool(_OTHER_PERSON.search(plain)) and (
        not is_question(plain) or bool(_YOU.search(plain))
    )


def is_mute(text: str) -> bool:
    """Tell whether a message wants the bot to be quiet in the thread from now on."""
    return " ".join(re.findall(r"[\w']+", text.lower())) in _MUTES and "?" not in text


def is_stop(text: str) -> bool:
    """Tell whether a message wants the bot to stop what it is doing in the thread."""
    return " ".join(re.findall(r"[\w']+", text.lower())) in _STOPS and "?" not in text


def is_question(text: str) -> bool:
    """Tell whether the words ask for something; a statement that finds nothing gets silence."""
    return bool(_ASKS.search(text.strip()) or _CORRECTS.match(_plain(text)))


def _plain(text: str) -> str:
    return text.replace("’", "'").strip()


def _is_courtesy(text: str) -> bool:
    """Tell whether a message is made of courtesies, fillers and emoji, and of nothing else.

    An empty message (a bare mention) is none: it gets a hint.
    """
    others = _OTHER_PERSON.sub(" ", _EMOJI.sub(" ", _plain(text)))
    words = re.findall(r"[\w'+]+", others.lower())
    if not words:
        return bool(text.strip()) and not re.search(r"\?", text)
    if len(words) > _LONGEST_COURTESY:
        return False
    courtesies = 0
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST_PHRASE, len(words) - place), 0, -1):
            if " ".join(words[place : place + length]) in _COURTESIES:
                courtesies += 1
                place += length
                break
        else:
            if words[place] not in _FILLERS:
                return False
            place += 1
    return courtesies > 0 and "?" not in text
