"""What may be remembered of what a person says: nothing secret, and nothing about others. Pure.

It errs on the side of forgetting: a password that reads like a word is caught by the name before
it, and a detail of somebody else by who it is said to belong to.
"""

import re

from bot.memory.memories import LONGEST
from bot.untrusted import findings
from retrieval.readers.secrets import find_secret

__all__ = ["refusal", "tidy"]

_SECRET = re.compile(
    r"\b(?:pass ?words?|passwd|pass ?phrases?|pass ?codes?|pin(?: code)?|otp|2fa|mfa"
    r"|recovery codes?|api[ _-]?keys?|access[ _-]?keys?|secret(?: key)?|private key|token"
    r"|credentials?|cvv|cvc)\b(?=\W{0,3}(?:is|are|was|=|:|equals)\W|\W{0,3}[\w-]*\d)"
    r"|\b(?:pass ?word|passwd|pass ?phrase)\b.{0,40}\b(?:is|are|=)\s",
    re.IGNORECASE,
)
_CARD = re.compile(r"\b(?:\d[ -]?){13,19}\b")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b")
_SOMEBODY = re.compile(r"<@(?P<user>[UW][A-Z0-9]+)(?:\|[^>]*)?>")
_OTHERS = re.compile(
    r"(?i:\b(?:he|she|his|her|hers|him|their|theirs)\b"
    r"|\bmy (?:wife|husband|partner|son|daughter|child|kids?|mother|father|brother|sister|boss"
    r"|manager|colleague|teammate|coworker|co-worker|friend|neighbou?r)(?:'s)?\b)"
    r"|\b[A-Z][a-z]+(?: [A-Z][a-z]+)?(?:'s|’s)\s"
    r"|^[A-Z][a-z]+(?: [A-Z][a-z]+)? (?:is|was|has|earns|lives|gets)\b"
)
_DETAIL = re.compile(
    r"\b(?:phone|mobile|cell|e-?mail|address|lives (?:in|at)|birthday|birth ?date|born|age|salary"
    r"|earns|paid|bonus|pregnan\w+|divorc\w+|married|sick|ill|illness|disease|cancer|diagnos\w+"
    r"|depress\w+|therap\w+|medic\w+|religio\w+|muslim|christian|jewish|gay|lesbian|trans|union"
    r"|fired|laid off|criminal|convict\w+|passport|social security|ssn|tax id|bank|iban)\b"
    r"|[\w.+-]+@[\w-]+\.\w{2,}|\+?\d[\d ()/-]{7,}\d",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")


def tidy(content: str) -> str:
    """Return words as they are kept: on one line, without the full stop at the end."""
    return _SPACES.sub(" ", content).strip().strip("\"“”'").rstrip(" .!;,").strip()


def refusal(content: str, user: str) -> str | None:
    """Return why some words are not remembered, as a sentence, or None when they may be.

    Args:
        content: the words, tidy.
        user: the id of whoever says them.
    """
    if len(content) > LONGEST:
        return f"That is too long to remember: say it in {LONGEST} characters."
    if find_secret(content) or _SECRET.search(content) or _is_number_of_account(content):
        return "I don't remember secrets such as passwords, tokens and card numbers."
    others = any(each["user"] != user for each in _SOMEBODY.finditer(content))
    if (others or _OTHERS.search(content)) and _DETAIL.search(_SOMEBODY.sub(" ", content)):
        return "I don't remember personal details of other people."
    if findings(content):
        return "I don't remember that: it reads like instructions to me, not like something of you."
    return None


def _is_number_of_account(content: str) -> bool:
    if _IBAN.search(content):
        return True
    return any(_luhn(re.sub(r"\D", "", found[0])) for found in _CARD.finditer(content))


def _luhn(digits: str) -> bool:
    doubled = [int(each) * (1 + at % 2) for at, each in enumerate(reversed(digits))]
    return sum(each - 9 * (each > 9) for each in doubled) % 10 == 0  # noqa: PLR2004  # Luhn's own
