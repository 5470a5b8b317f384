"""Makes untrusted text safe to show: replaces characters that control a terminal, hide text or reorder it."""

from __future__ import annotations

import re
from functools import cache

# Control characters except line ends and tabs, and marks that change the direction of text.
_CONTROLS = (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_REPLACEMENTS = dict.fromkeys(_CONTROLS, "\N{REPLACEMENT CHARACTER}")
# Controls of C0 and C1 except tab and line end, marks that reorder a line (Unicode Standard Annex 9), and code points
# that are not characters. Unicode's control pictures start at U+2400.
_HIDDEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
_PICTURES = 0x2400


def replace_controls(text: str) -> str:
    """Return a text that cannot control a terminal or change the direction of the text around it."""
    return text.translate(_REPLACEMENTS)


@cache
def control_replacements() -> dict[int, str]:
    """Return the replacement of each character that can control a terminal or a model, for `str.translate`.

    In addition to the characters of `replace_controls`, it contains tags, which a model reads but nobody sees, and
    surrogates.
    """
    return _REPLACEMENTS | dict.fromkeys(
        (*range(0xE0000, 0xE0080), *range(0xD800, 0xE000)), "\N{REPLACEMENT CHARACTER}"
    )


def visible(text: str) -> str:
    """Return a text in which nothing is hidden or reordered.

    ASCII control characters become control pictures; other controls and direction marks become their code point.
    """
    return re.sub(_HIDDEN, _picture, text.replace("\r\n", "\n"))


def _picture(hidden: re.Match[str]) -> str:
    number = ord(hidden[0])
    if number < 0x20:
        return chr(_PICTURES + number)
    return "\u2421" if number == 0x7F else f"\u27e8U+{number:04X}\u27e9"
