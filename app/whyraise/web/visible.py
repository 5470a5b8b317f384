"""Text of others made safe to look at: characters that hide, reorder or ring are shown as what they are."""

from __future__ import annotations

import re

# Controls of C0 and C1 apart from tab and line end, marks that reorder a line (Unicode Standard Annex 9), and code
# points that are no character. Unicode's control pictures start at U+2400.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_PICTURES = 0x2400


def visible(text: str) -> str:
    """Return a text in which nothing hides or reorders: controls as pictures, marks of direction by their number."""
    return _HIDDEN.sub(_shown, text.replace("\r\n", "\n"))


def _shown(hidden: re.Match[str]) -> str:
    number = ord(hidden[0])
    if number < 0x20:
        return chr(_PICTURES + number)
    return "\u2421" if number == 0x7F else f"\u27e8U+{number:04X}\u27e9"
