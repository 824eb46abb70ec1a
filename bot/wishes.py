"""What a question wants to be answered with, and what a section of a page is for. Pure.

Who is paged with an alert's name, or writes that something is broken, wants to know what to do.
"""

import re
from typing import Literal

__all__ = ["Role", "Wish", "role_of", "wish_of"]

type Wish = Literal["steps", "fact", "meaning", "permission"]

type Role = Literal["before", "remedy", "check", "intro", "caution", "aside", "other"]
"""What a section is for, by its heading."""

_FLAGS = re.IGNORECASE | re.VERBOSE
_HOW_MUCH = re.compile(
    r"\bhow\ (?:often|long|many|much|fast|big|large|old|far|late|high|soon|early)\b", _FLAGS
)
_HOW_TO = re.compile(
    r"""\bhow\ to\b
      | \b(?:how|what|where)\ (?:do|can|could|should|would|shall|must)
          \ (?:i|we|you|one|someone|people|they)\b
      | \bwhat\ (?:now|next|first|to\ do)\b | \b(?:which|exact)\ (?:cmd|commands?|steps?)\b
      | \b(?:commands?|steps|script)\b""",
    _FLAGS,
)
_MAY_I = re.compile(
    r"""(?:^|[,.;:!?\n-]\s*|\b(?:and|or|but|so)\ )
          (?:can|may|could|should|do|must|shall)\ (?:i|we|you|one|someone|people|they)\b
      | \b(?:is|are|was)\ (?:it|this|that|there)\b.{0,30}
          \b(?:safe|ok|okay|fine|allowed|normal|bad|expected|possible|dangerous)\b
      | \b(?:safe|allowed|ok|okay)\ to\b""",
    _FLAGS,
)
_WHAT_IS = re.compile(
    r"""\bwhy\b | \bmean(?:s|ing)?\b | \b(?:explain|describe)
      | \bwhat(?:'s|s|\ is|\ are|\ was|\ were)\b
      | \bwhat\ (?:happen|went|cause|can|could|does|did|do)
      | \bhow\ (?:does|is|are|did|was)\b""",
    _FLAGS,
)
# What is the port of …: one fact, and no reason.
_WHAT_OF = re.compile(
    r"""\bwhat(?:'s|s|\ is|\ are|\ was|\ were)\ (?:the|our)\ (?!cause|reason|meaning|purpose|point
          |impact|symptom|difference|problem|matter)
          [\w\ -]{1,40}?\ (?:of|for|on|in|at|called|behind)\b""",
    _FLAGS,
)
_WHO = re.compile(r"\b(?:who|whom|whose|when|where|which)\b", _FLAGS)
_WISHES: tuple[tuple[Wish, re.Pattern[str]], ...] = (
    ("fact", _HOW_MUCH),
    ("steps", _HOW_TO),
    ("permission", _MAY_I),
    ("fact", _WHAT_OF),
    ("meaning", _WHAT_IS),
    ("fact", _WHO),
)

# The headings that runbooks have, in whatever template.
_CAUTION = re.compile(r"\bnot\ to\ do\b | \b(?:don.t|never|caution|danger|warning)s?\b", _FLAGS)
_ASIDE = re.compile(
    r"""^(?:verif | validat | timeline | staging | escalat | contact | owner | reference | link
          | see\ also | further | additional\ (?:note|resource|info) | appendix | changelog
          | history | licen[cs]e | contribut | default\ definition | disable\ this | actions?$)""",
    _FLAGS,
)
_BEFORE = re.compile(r"^(?:\d+\.?\ )?(?:before\ | pre-?(?:requisite | condition | check))", _FLAGS)
_REMEDY = re.compile(
    r"""\b(?:mitigat | remed | resol | recover | repair | solution | work-?around | procedure
          | instruction | fix | what\ to\ do | how\ to | the\ first\ .*\ minutes)
      | \b(?:steps | actions)\b""",
    _FLAGS,
)
_CHECK = re.compile(r"\b(?:diagnos|investigat|triage|troubleshoot|debug|checks?\b)", _FLAGS)
_INTRO = re.compile(
    r"""^(?:meaning | overview | summary | description | background | introduction | impact
          | symptoms? | severity | about | purpose | context | scope
          | (?:root\ |probable\ )?causes?)\b""",
    _FLAGS,
)
_ROLES: tuple[tuple[Role, re.Pattern[str]], ...] = (
    ("caution", _CAUTION),
    ("before", _BEFORE),
    ("aside", _ASIDE),
    ("remedy", _REMEDY),
    ("check", _CHECK),
    ("intro", _INTRO),
)


def wish_of(question: str) -> Wish:
    """Return what a question wants; what is no question is a matter to be dealt with."""
    for wish, words in _WISHES:
        if words.search(question):
            return wish
    return "steps"


def role_of(path: tuple[str, ...]) -> Role:
    """Return what a section is for, by the innermost of its headings that tells.

    The path begins with the document's title; what stands right below it only leads in.
    """
    for heading in reversed(path[1:]):
        for role, words in _ROLES:
            if words.search(heading):
                return role
    return "other" if path[1:] else "intro"
