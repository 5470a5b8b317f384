"""Makes untrusted text safe to show: replaces characters that control a terminal, hide text or reorder it."""

from __future__ import annotations

import re
from functools import cache

# Characters that must not be shown as they are, as ranges of code points: the only such table.
_RANGES = {
    "controls": (range(9), range(0x0B, 0x20), range(0x7F, 0xA0)),  # C0 and C1, except tab and line end
    "directions": (range(0x202A, 0x202F), range(0x2066, 0x206A)),  # reorder a line (Unicode Standard Annex 9)
    "marks": (range(0x061C, 0x061D), range(0x200E, 0x2010)),  # the marks of the same annex: they move what is near
    "surrogates": (range(0xD800, 0xE000),),
    "noncharacters": (range(0xFFFE, 0x10000),),
    "tags": (range(0xE0000, 0xE0080),),  # a model reads them, but nobody sees them
}
# All ASCII control characters, for a character class of a regex that pydantic or a JSON Schema validator reads.
ASCII_CONTROLS = r"\x00-\x1f\x7f"
# The first of Unicode's control pictures, which stand for the code points from 0 on.
_PICTURES = 0x2400


@cache
def _replacements(*kinds: str) -> dict[int, str]:
    """Return the replacement of each character of some kinds, for `str.translate`."""
    return {code: "\N{REPLACEMENT CHARACTER}" for kind in kinds for codes in _RANGES[kind] for code in codes}


@cache
def _pattern(*kinds: str) -> re.Pattern[str]:
    """Return a regex for one character of some kinds."""
    ranges = (codes for kind in kinds for codes in _RANGES[kind])
    return re.compile(f"[{''.join(f'{chr(codes[0])}-{chr(codes[-1])}' for codes in ranges)}]")


def replace_controls(text: str) -> str:
    """Return a text that cannot control a terminal or change the direction of the text around it."""
    return text.translate(_replacements("controls", "directions"))


def control_replacements() -> dict[int, str]:
    """Return the replacement of each character that can control a terminal or a model, for `str.translate`.

    In addition to the characters of `replace_controls`, it contains tags, which a model reads but nobody sees, and
    surrogates.
    """
    return _replacements("controls", "directions", "surrogates", "tags")


def visible(text: str) -> str:
    """Return a text in which nothing is hidden or reordered.

    ASCII control characters become control pictures; other controls and direction marks become their code point.
    """
    hidden = _pattern("controls", "directions", "marks", "surrogates", "noncharacters")
    return hidden.sub(_picture, text.replace("\r\n", "\n"))


def _picture(hidden: re.Match[str]) -> str:
    number = ord(hidden[0])
    if number < 0x20:
        return chr(_PICTURES + number)
    return "\u2421" if number == 0x7F else f"\u27e8U+{number:04X}\u27e9"
