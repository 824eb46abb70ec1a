"""A text as a model reads it, whatever tricks it is written with, and where each letter stood.

Full-width and mathematical letters, Cyrillic ones that look Latin, accents, zero-width and tag
characters, character references of HTML, comments and emphasis inside words are all read as plain
letters; so are words spaced out, and digits in the place of letters. None of it is shown but
inside a quotation. Pure, and linear in the text.
"""

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["Reading", "readings"]

_SPECIAL: Final = re.compile(
    r"[^\t\n\r\x20-\x7e]"
    r"|&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos|nbsp|zwnj|zwj|shy);"
    r"|<!--\s{0,9}-->"
    r"|(?<=[A-Za-z])(?:\*{1,3}|~~|`{1,2})(?=[A-Za-z])"
)
_SPACED: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z0-9@$](?:[\s._*|-]{1,4}[A-Za-z0-9@$]){7,}(?![A-Za-z0-9])"
)
_LETTER: Final = re.compile(r"[A-Za-z0-9@$]")
_MIXED: Final = re.compile(r"[A-Za-z][013457@$]|[013457@$][A-Za-z]")
_WORD: Final = re.compile(r"[A-Za-z0-9@$]+")
_DIGITS: Final = str.maketrans("013457@$", "oieastas")

# What looks like ASCII and isn't mapped to it by Unicode: each group reads as its first letter.
_ALIKE: Final = """
    aаɑα bЬ cсϲ dԁ eеε gɡԍ hһ iіıιɩ jјϳ kκк lӏǀ nոп oоοօ pрρ qԛ rг sѕ tτт uυսц vνѵ wԝω xхχ yуγ
    aᴀ bʙ cᴄ dᴅ eᴇ gɢ hʜ iɪ jᴊ kᴋ lʟ mᴍ nɴ oᴏ pᴘ rʀ tᴛ uᴜ vᴠ wᴡ yʏ zᴢ
    AАΑ BВΒ CСϹ EЕΕ HНΗ IІΙӀ JЈ KКΚ MМΜ NΝ OОΟՕ PРΡ SЅ TТΤ XХΧ YҮΥУ ZΖ
    <‹⟨〈〈❮˂ᐸ⧼ >›⟩〉〉❯˃ᐳ⧽ |∣❘ [⁅【〔⟦ ]⁆】〕⟧ #♯ :ː∶꞉
"""
_LOOKALIKES: Final = {
    lookalike: group[0] for group in _ALIKE.split() for lookalike in group[1:]
} | {"«": "<<", "»": ">>", "《": "<<", "》": ">>", "⟪": "<<", "⟫": ">>", "≪": "<<", "≫": ">>"}

_TAGS: Final = range(0xE0020, 0xE007F)  # an invisible copy of ASCII


@dataclass(frozen=True, slots=True)
class Reading:
    """Letters as they are read. `starts` and `ends` tell of each where it stands in the text.

    Without them the letters are the text itself.
    """

    letters: str
    starts: list[int] | None = None
    ends: list[int] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of letters stands in the text."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def readings(text: str) -> tuple[Reading, ...]:
    """Return the ways in which a text can be read: as it stands, and without spaces in words."""
    plain = _plain(text)
    spaced = list(_SPACED.finditer(plain.letters))
    if not spaced:
        return (plain,)
    kept: list[int] = []
    done = 0
    for run in spaced:
        kept += range(done, run.start())
        kept += (
            place for place in range(*run.span()) if _LETTER.match(plain.letters, place) is not None
        )
        done = run.end()
    kept += range(done, len(plain.letters))
    places = [plain.place(each, each + 1) for each in kept]
    letters = "".join(plain.letters[each] for each in kept)
    return plain, Reading(letters, [start for start, _ in places], [end for _, end in places])


def without_digits(letters: str) -> str:
    """Return as many letters, with digits in words read as the letters that they stand for."""
    if not _MIXED.search(letters):
        return letters
    return _WORD.sub(
        lambda word: word[0].translate(_DIGITS) if _MIXED.search(word[0]) else word[0], letters
    )


def _plain(text: str) -> Reading:
    found = _SPECIAL.search(text)
    if not found:
        return Reading(text)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for special in _SPECIAL.finditer(text, found.start()):
        start, end = special.span()
        pieces.append(text[done:start])
        starts += range(done, start)
        ends += range(done + 1, start + 1)
        read = _read(special[0])
        pieces.append(read)
        starts += [start] * len(read)
        ends += [end] * len(read)
        done = end
    pieces.append(text[done:])
    starts += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return Reading("".join(pieces), starts, ends)


@lru_cache(maxsize=4096)
def _read(special: str) -> str:
    """Return what a character is read as; nothing when it can't be seen."""
    if len(special) > 1:
        return _read(unescaped) if len(unescaped := html.unescape(special)) == 1 else ""
    if ord(special) in _TAGS:
        return chr(ord(special) - 0xE0000)
    letters: list[str] = []
    for each in unicodedata.normalize("NFKD", special):
        kind = unicodedata.category(each)
        if kind in {"Cf", "Cc", "Mn", "Me", "Co", "Cn", "Cs"} and each not in "\t\n\r":
            continue
        letters.append(" " if kind in {"Zs", "Zl", "Zp"} else _LOOKALIKES.get(each, each))
    return "".join(letters)
