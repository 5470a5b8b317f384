"""Makes text of others safe to show: characters that steer a terminal, hide, reorder or ring are replaced."""

from __future__ import annotations

import re
from functools import cache

# Control characters and marks that turn the direction of text, but for line ends and tabs.
_STEERING = (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_REPLACED = dict.fromkeys(_STEERING, "\N{REPLACEMENT CHARACTER}")
# Controls of C0 and C1 apart from tab and line end, marks that reorder a line (Unicode Standard Annex 9), and code
# points that are no character. Unicode's control pictures start at U+2400.
_HIDDEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
_PICTURES = 0x2400


def harmless(text: str) -> str:
    """Return a text that cannot steer a terminal or turn the direction of what stands beside it."""
    return text.translate(_REPLACED)


@cache
def steering() -> dict[int, str]:
    """Return what replaces each character that steers a terminal or a model.

    Beside those of `harmless` it has tags, which a model reads and nobody sees, and halves of characters.
    """
    return _REPLACED | dict.fromkeys((*range(0xE0000, 0xE0080), *range(0xD800, 0xE000)), "\N{REPLACEMENT CHARACTER}")


def visible(text: str) -> str:
    """Return a text in which nothing hides or reorders: controls as pictures, marks of direction by their number."""
    return re.sub(_HIDDEN, _picture, text.replace("\r\n", "\n"))


def _picture(hidden: re.Match[str]) -> str:
    number = ord(hidden[0])
    if number < 0x20:
        return chr(_PICTURES + number)
    return "\u2421" if number == 0x7F else f"\u27e8U+{number:04X}\u27e9"
