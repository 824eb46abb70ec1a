"""What instructions to a model look like in a text that should give none.

Each pattern asks for more than a runbook's sentence has: "ignore previous alerts", "disregard the
prior deploy" and "you are now connected to the primary" are none. A sentence that could be both
("ignore the instructions above on version 2") is quoted: it stays legible, and its document is
cited as it was written.

In the expressions a space stands for what may be between two words: blanks, quotation marks and
the like, or nothing where words were run together. Every repetition is bounded, so that the time
is linear in the text.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

__all__ = ["PATTERNS", "Kind", "Pattern"]

type Kind = Literal[
    "override",
    "persona",
    "output",
    "uncited",
    "reveal",
    "address",
    "role",
    "template",
    "marker",
    "tool_call",
    "exfiltration",
    "forged_citation",
]

type Reach = Literal["match", "line", "paragraph"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """`needs`: one of these stands in every match, so that most texts are done with soon.

    `reach`: how far what follows belongs to it. What its group `fine` matches is no injection.
    """

    kind: Kind
    reach: Reach
    needs: tuple[str, ...]
    expression: str

    @property
    def regex(self) -> re.Pattern[str]:
        """The expression, compiled once a text has what it needs, as few ever do."""
        return _compiled(self.expression)


_GAP: Final = r"[\s\"'“”‘’*_~`(),–—-]{0,6}"


def _pattern(kind: Kind, reach: Reach, needs: str, *forms: str) -> Pattern:
    """Return the pattern of any of these forms."""
    return Pattern(kind, reach, tuple(needs.split(", ")), "|".join(forms).replace(" ", _GAP))


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


_LINE: Final = r"(?:^|(?<=\n))"
_START: Final = r"(?:^|(?<=[.!?:;>)\]\"'“”*\n-]))[\s\"'“”*_>#-]{0,6}"

# "Ignore all previous instructions", in its forms
_IGNORE: Final = (
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overwrite|bypass|neglect"
    r"|discard|abandon|set aside|pay no attention to|(?:stop|quit) (?:following|obeying)"
    r"|(?:do not|don t|never|no longer) (?:follow|obey|adhere to))"
)
_THE: Final = r"(?:(?:the|these|those|of|my|our|this|and|all) ){0,3}"
_EARLIER: Final = (
    r"(?:previous(?:ly)?|prior|earlier|preceding|above|foregoing|past|former|initial|original"
    r"|existing|your|system)"
)
_WHICH: Final = rf"(?:{_EARLIER}|all|any|every|other|given|said|safety|new)"
_INSTRUCTIONS: Final = r"(?:instructions?|directives?|guidelines?|directions|programming)"
_GIVEN: Final = (
    r"(?:that )?(?:above|before|previously|you (?:were|have|had|are|got)|(?:i|we) (?:gave|told)"
    r"|given (?:to you|above|before|earlier)|from (?:the )?(?:system|developer|operator))\b"
)
_ABOVE: Final = (
    r"(?:is |was |said |written )?(?:above|before)"
    r"(?=\s*(?:$|[.!;:,\n]|and\b|this (?:point|message|sentence)))"
)

# Whom they make of the model
_FILLERS: Final = r"(?:[a-z]{1,20}[\s\"'-]{1,4}){0,3}"
_MODEL: Final = (
    r"(?:assistant|\bai\b|\ba\.i\.|\bllm\b|language model|chat ?bot|\bgpt\b|\bdan\b|jailbroken"
    r"|unrestricted|uncensored|unfiltered|hacker|pirate)"
)
_AN_AI: Final = r"(?:\bai\b|\bllms?\b|language models?|chat ?bots?)"
_FROM_NOW: Final = r"\bfrom (?:now|here|this (?:point|moment|message)) (?:on(?:wards?)?|forwards?)"
_MODE: Final = r"(?:god|dan|jailbreak|opposite|unrestricted|unfiltered) mode\b"

# What they make it say
_SAY: Final = r"(?:respond|reply|answer)"
_ONLY: Final = r"(?:only|exclusively|solely|just|simply)"
_IMPERATIVE: Final = (
    rf"(?:{_START}|\b(?:please|then|instead|now|always|simply|and"
    r"|you (?:must|should|shall|will|can|have to|are to))\s{1,3})"
)
_NO_STATUS: Final = r"(?!\s{0,3}(?:http|\d|an?\s(?:http|error|status|code)|status))"
_WORDS: Final = r"(?:words?|text|phrase|string|sentence)"
_REPLIES: Final = r"(?:answers?|responses?|repl(?:y|ies)|messages?|outputs?)"
_HIDDEN: Final = r"(?:(?:system|hidden|initial|original|secret|developer|internal|full|exact) )"
_ORDER: Final = (
    r"(?=you\b|you re\b|ignore\b|disregard\b|forget\b|from now\b|new (?:task|instruction)"
    r"|(?:always|never|do not|don t|please|only)\s(?:answer|reply|respond|say|cite|reveal)\b"
    r"|(?:answer|reply|respond|output|say|print|tell|act|pretend|reveal|repeat|obey|comply)\s"
    rf"|(?:the|this)\s(?:{_MODEL}|model|user)\b)"
)
_BLANK: Final = (
    r"[{<\[$%]{1,2}(?:7b)?(?:the_|your_|full_|user_|last_)?"
    r"(?:conversation|prompt|secret|answer|question|history|token|data|message|context)"
)
_URL: Final = r"\[[^\]\n]{0,200}\]\(\s{0,3}<?https?://[^\s)?]{1,300}\?"

PATTERNS: Final = (
    _pattern(
        "override",
        "paragraph",
        "instruct, directi, guideline, programming, prompt, rule",
        rf"{_IGNORE} {_THE}{_WHICH} (?:(?:{_WHICH}|the|of|my|our|this) ){{0,4}}{_INSTRUCTIONS}\b",
        rf"{_IGNORE} {_THE}(?:{_INSTRUCTIONS}|prompts?|rules) {_GIVEN}",
    ),
    _pattern(
        "override",
        "paragraph",
        "rules, prompt, training, conversation, your, user, reader, human",
        rf"(?!\boverr|\boverw){_IGNORE} {_THE}(?:{_EARLIER} ){{1,3}}"
        r"(?:rules|prompts?|training|conversation)\b",
        rf"{_IGNORE} (?:the )?(?:user|reader|human) s? ?(?:question|request|message|query)\b",
        rf"{_IGNORE} {_THE}your (?:[a-z]{{1,20}}\s)?"
        r"(?:constraints|restrictions|limits|limitations|polic(?:y|ies)|context)\b",
    ),
    _pattern(
        "override",
        "paragraph",
        "everything, anything, what",
        rf"{_IGNORE} (?:all of )?(?:everything|anything|what(?:ever)?) (?:that |else )?"
        rf"(?:{_ABOVE}|you (?:were|have|had|been|know|are|think)"
        r"|(?:i|we|they) (?:said|told|wrote))",
    ),
    _pattern(
        "override",
        "paragraph",
        "instruct, directive, prompt, programming, objective, mission",
        r"\byour (?:new|real|actual|true|updated|only) (?:system )?"
        r"(?:instructions?|directives?|prompt|programming|objective|mission)"
        r"(?: (?:is|are|from)\b|\s*:)",
        r"\byour instructions (?:have changed|have been (?:changed|updated|replaced)|are now)\b",
        rf"(?:{_START}|\b(?:begin|start) )(?:new|updated|revised|additional) (?:system )?"
        rf"(?:instructions?|prompt|directives?)\s{{0,3}}:\s{{0,3}}{_ORDER}",
    ),
    _pattern(
        "override",
        "paragraph",
        "anweisung, instruktion, instruc, instruz, istruzioni, consigne, directive"
        ", 指令, 指示, 提示, 说明",
        r"\b(?:ignorier|missacht|vergiss|vergess)[a-z]{0,4}"
        r" (?:(?:alle|aller|die|deine|samtliche|bitte) ){0,3}"
        r"(?:vorherigen|bisherigen|vorigen|obigen|fruheren|vorangegangenen)"
        r" (?:anweisungen|instruktionen)\b",
        r"\b(?:ignore[zr]?|oublie[zr]?) (?:(?:toutes|les|tes|vos) ){0,3}"
        r"(?:instructions|consignes|directives) (?:precedentes|anterieures|ci dessus)\b",
        r"\b(?:ignor[aei]d?|olvid[ae]|esqueca|dimentica)"
        r" (?:(?:todas|tutte|las|les|os|as|le|tus|sus) ){0,3}"
        r"(?:instrucciones|instrucoes|istruzioni) (?:anteriores|previas|precedenti)\b",
        r"忽略[^\n。]{0,8}(?:指令|指示|提示|说明)",
    ),
    _pattern(
        "persona",
        "paragraph",
        "you",
        rf"\b(?:you are now|from now on you (?:are|will be)) (?:{_FILLERS}{_MODEL}\b"
        rf"|in (?:developer mode\b|{_MODE})|free (?:from|of) (?:all |any |your )?"
        r"(?:rules|restrictions|instructions|guidelines|constraints|limits)\b)",
        rf"\byou are no longer (?:bound|restricted|limited|footnote|{_FILLERS}{_MODEL})\b",
        r"\bpretend (?:that )?you (?:are|have|can|were)\b",
    ),
    _pattern(
        "persona",
        "paragraph",
        "from now, fromnow, from this, from here",
        rf"{_FROM_NOW} (?:you (?:are to|will|must|should) (?:[a-z]{{1,12}}\s)?|always |only )?"
        r"(?:answer|respond|reply|speak|talk|behave|obey|pretend"
        rf"|(?:every|all) {_REPLIES})\b",
    ),
    _pattern(
        "persona",
        "paragraph",
        "act as, actas, behave, respond, play, pretend, mode",
        rf"\b(?:act|behave|respond|role ?play) as (?:an?|the|my) {_FILLERS}{_MODEL}",
        rf"\bpretend to be (?:an?|the|my) {_FILLERS}{_MODEL}",
        rf"\b(?:enter|enable|activate) {_MODE}",
    ),
    _pattern(
        "output",
        "line",
        "respond, reply, answer",
        rf"{_IMPERATIVE}{_SAY} (?:back )?(?:{_ONLY} (?:with|in|by)\b|with (?:only|just|exactly"
        rf"|nothing but|the (?:exact )?{_WORDS})\b){_NO_STATUS}",
        r"\b(?:answer|respond to|reply to) (?:every|each|all|any) (?:[a-z]{1,20}\s)?"
        r"(?:questions?|messages?|quer(?:y|ies)) (?:with|by|using)\b",
    ),
    _pattern(
        "output",
        "line",
        "answer, respons, repl, message, output, no_match",
        rf"\byour (?:entire|whole|only|final|next|full|every) {_REPLIES}"
        r" (?:must|should|shall|will|is|has to)\b",
        r"\b(?:begin|start|end|finish|prefix|preface) (?:your|each|every|all) (?:of your )?"
        rf"{_REPLIES} (?:with|by)\b",
        rf"\b(?:{_SAY}|say|return|output|print) (?:with )?no_match\b",
    ),
    _pattern(
        "output",
        "line",
        "only, exactly, exclusively, solely, just, simply, nothing",
        rf"{_IMPERATIVE}(?:output|print|say|write|return|repeat|type)"
        rf" (?:{_ONLY}|exactly|nothing but) (?:the |this )?(?:following|{_WORDS})\s{{0,3}}[:\"'“‘]",
    ),
    _pattern(
        "uncited",
        "line",
        "cite, citing, citations, footnotes, source id, passage id, chunk id",
        r"\b(?:do not|don t|never|stop|avoid|without|no need to|skip|omit|leave (?:out|off)|drop"
        r"|remove) (?:(?:ever|any|all|the|your|adding|using|giving|to|include|add|use|give) ){0,3}"
        r"(?:(?:cite|citing)\b(?=\s{0,3}(?:$|[.!;:,\n]|(?:any|your|the|these|this|it)? "
        r"(?:sources?|passages?|documents?|chunks?|ids?|anything|in|when|and|or)\b))"
        r"|(?:citations|footnotes)\b|(?:source|passage|chunk)\s?ids?\b)",
    ),
    _pattern(
        "reveal",
        "line",
        "prompt, instruct, rules, guideline, system message, conversation, chat history, above",
        r"\b(?:reveal|show|print|repeat|output|display|leak|disclose|tell|give|dump|share|expose"
        r"|recite|quote|write out|send|post|what (?:is|are|were|s))"
        r" (?:(?:me|us|all|of|back|out) ){0,3}"
        rf"(?:(?:your|the) {_HIDDEN}{{1,3}}(?:prompt|instructions?)\b(?! (?:for|on|of|in|from)\b)"
        rf"|your {_HIDDEN}{{0,3}}(?:prompt|instructions?|rules|guidelines|system message)\b"
        r"|(?:the|this|your) (?:whole |entire |full )?(?:conversation|chat history)"
        r" (?:to|so far|verbatim|above)\b"
        r"|(?:everything|(?:the )?(?:text|words|messages?)) above"
        r" (?:this|verbatim|word for word)\b)",
        r"\b(?:do not|don t|never) (?:mention|reveal|disclose|tell|show) (?:[a-z]{1,12}\s){0,3}"
        r"(?:this|these|your) (?:instructions?|prompt)\b",
    ),
    _pattern(
        "address",
        "line",
        " ai, llm, language model, languagemodel, chatbot, chat bot",
        rf"{_START}(?:(?:important|urgent) )?"
        r"(?:attention|note|message|instructions?|hint|important|dear|hey|hello|warning)"
        rf" (?:(?:to|for) )?(?:(?:any|all|the|every) )?{_AN_AI}",
        rf"\b(?:if|as|since) you (?:are|re) (?:an?|the) (?:[a-z]{{1,20}}\s)?{_AN_AI}",
        rf"{_START}as an? {_AN_AI} (?:assistant )?you\b",
        r"\b(?:ai|llm) (?:assistants?|models?|agents?|systems?)? "
        r"(?:reading|processing|summari[sz]ing) this\b",
    ),
    _pattern(
        "address",
        "line",
        "when, while, if",
        r"\b(?:when|while|if) (?:you (?:are )?)?(?:summari[sz]|answer|process|read)(?:e|ing)?"
        r" (?:from )?this (?:document|page|text|passage|runbook) (?:then )?"
        r"(?:tell|say|include|mention|recommend|append|add)\b",
    ),
    _pattern(
        "role",
        "paragraph",
        "system, assistant, developer, admin, human, user",
        rf"{_LINE}[\s>*_#\[(-]{{0,8}}"
        r"(?:system|assistant|developer|administrator|admin|human|user)"
        r"(?: (?:prompt|message|note|override|update))?"
        rf"[\s*_\])]{{0,4}}:[\s*_]{{0,6}}{_ORDER}",
    ),
    _pattern(
        "template",
        "paragraph",
        "|, inst, sys, _turn, #, _call, _response, _result",
        r"<\s?\|\s?[a-z_]{1,40}\s?\|\s?>",
        r"\[\s?/?\s?inst\s?\]",
        r"<<\s?/?\s?sys\s?>>",
        r"</?(?:start|end)_of_turn>",
        rf"{_LINE}\s{{0,3}}#{{2,4}}\s{{0,3}}(?:system|instruction|assistant|human|user)\s?:",
        r"</?system[\s_-](?:prompt|message|instructions?|reminder|note|override)\s?>",
        r"</?(?:tool|function)_(?:calls?|response|result)s?\s?>",
    ),
    _pattern(
        "template",
        "match",
        "</s>",
        r"(?P<fine><s>[^\n<]{0,300}</s>)",  # struck out, in HTML
        r"</s>",
    ),
    _pattern(
        "marker",
        "line",
        "<",
        r"<\s{0,2}<\s{0,2}<[\s/]{0,4}(?:end(?:\s{1,3}of)?\s{1,3}[a-z]"
        r"|(?:passage|summary|earlier|result|memory|question|instructions?|system)\b)",
    ),
    _pattern(
        "tool_call",
        "paragraph",
        "argument, tool_call, function_call",
        r"\{\s{0,9}\"(?:name|function|tool|tool_name)\"\s{0,9}:\s{0,9}\"[\w.-]{1,64}\"\s{0,9}"
        r",\s{0,9}\"arguments\"\s{0,9}:",
        r"\"(?:tool_calls?|function_call)\"\s{0,9}:\s{0,9}[\[{]",
    ),
    _pattern(
        "exfiltration",
        "match",
        "](",
        # An image is fetched when it is shown; a link with a blank to fill carries words out.
        rf"!{_URL}(?:[^\s)&]{{0,60}}&){{0,9}}"
        r"(?:q|data|d|payload|secret|token|key|prompt|text|msg|content|leak|exfil|answer|question"
        r"|conversation|history|log)=[^\s)]{0,300}\)?",
        rf"{_URL}[^\s)]{{0,100}}?{_BLANK}[^\s)]{{0,300}}\)?",
    ),
)
