"""Finds why a text does not match a wording: which literal failed, where the first difference is, and what would match.

The answer is one place in each: "matched up to here; expected `expected`, found `Expected`".
"""

from __future__ import annotations

import re

from whyraise.matching.chains import Literal, View, find, prepare, views
from whyraise.matching.regions import Region
from whyraise.matching.wording import Wording
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading.paste import Span

if TYPE_CHECKING:
    import typing

    Hint = typing.Literal["case", "punctuation", "word", "ends", "other"]

# How many characters of the record and of the paste are quoted on either side of the difference.
_QUOTED = 60
_WORD = r"\s*(\w+|[^\w\s]+)"


class Mismatch(NamedTuple):
    """The first difference between a text and a wording.

    `segment` is the number of the literal that failed, from 0. `matched_length` counts the wording's own characters
    found before the difference, `similar_length` also those that differ only in case. `matched` quotes the end of the
    text that agrees, `expected` what the record has next, `found` what the paste has there. `hint` tells what would
    make it match: another case, other punctuation, another word; it is `ends` if the paste ends there, and `other` if
    the texts have nothing more in common. `span` is the first word of `found`, in offsets of the cleaned text.
    """

    segment: int
    matched_length: int
    similar_length: int
    matched: str
    expected: str
    found: str
    hint: Hint
    span: Span


def find_mismatch(wording: Wording, region: Region) -> Mismatch | None:
    """Return the first difference between a region and a wording, or None if it has no literals or matches whole."""
    if wording.chain is None or not wording.chain.literals:
        return None
    view = list(views(region))[-1]
    start, matched = 0, 0
    for number, text in enumerate(wording.chain.literals):
        literal = prepare(text)
        place = find(literal, view, start, len(view.searched))
        if place is None:
            index, length, similar = _nearest_prefix(literal, view, start)
            expected = _from_squeezed(text, length)
            offset = view.offsets[index + length] if index + length < len(view.offsets) else len(view.text)
            mismatch = _quote(region, offset, text, expected)
            return mismatch._replace(segment=number, matched_length=matched + length, similar_length=matched + similar)
        start, matched = place.end, matched + len(literal.squeezed)
    return None


def _nearest_prefix(literal: Literal, view: View, start: int) -> tuple[int, int, int]:
    """Return where the text has the longest prefix of a literal, its length, and its length if case is ignored.

    Case is only ignored if that finds a longer prefix; the text is then quoted from where the case differs.
    """
    index, length = _longest_prefix(literal.squeezed, view.searched, start)
    lower = view.searched.lower()
    if length < len(literal.squeezed) // 2 and len(lower) == len(view.searched):
        other, longer = _longest_prefix(literal.squeezed.lower(), lower, start)
        if longer > length:
            return other, _common_length(literal.squeezed, view.searched[other:]), longer
    return index, length, length


def _longest_prefix(literal: str, text: str, start: int) -> tuple[int, int]:
    """Return where the longest prefix of a literal occurs in the text, and its length.

    Binary search: if a prefix occurs, so do all shorter ones.
    """
    low, high = 0, len(literal)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text.find(literal[:middle], start) >= 0 else (low, middle - 1)
    return (text.find(literal[:low], start), low) if low else (start, 0)


def _common_length(left: str, right: str) -> int:
    """Return the length of the prefix that two texts have in common."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _quote(region: Region, offset: int, text: str, expected: str) -> Mismatch:
    """Quote both sides from the start of the word that differs. The caller fills in the number and the lengths."""
    start = _word_start(text, len(text) - len(expected))
    if expected[:1].isalnum() and start < len(text) - len(expected):
        offset, expected = _word_start(region.text, offset), text[start:]
    found = region.text[offset : offset + _QUOTED]
    end = region.start + offset + len(_first_word(found))
    return Mismatch(
        segment=0,
        matched_length=0,
        similar_length=0,
        matched=" ".join(region.text[max(0, offset - _QUOTED) : offset].split()),
        expected=" ".join(expected[:_QUOTED].split()),
        found=" ".join(found.split()),
        hint=_hint(expected, found),
        span=Span(region.start + offset, end),
    )


def _from_squeezed(text: str, length: int) -> str:
    """Return a text without its first `length` characters that are not whitespace, nor the whitespace after them."""
    for offset, char in enumerate(text):
        if not char.isspace():
            if not length:
                return text[offset:]
            length -= 1
    return ""


def _word_start(text: str, offset: int) -> int:
    while offset and text[offset - 1].isalnum():
        offset -= 1
    return offset


def _first_word(text: str) -> str:
    word = re.match(_WORD, text)
    return word[0] if word else ""


def _hint(expected: str, found: str) -> Hint:
    """Return how two texts differ at their first words."""
    wanted, pasted = _first_word(expected).strip(), _first_word(found).strip()
    if not pasted:
        return "ends"
    if wanted.lower() == pasted.lower():
        return "case"
    if not wanted[:1].isalnum() or not pasted[:1].isalnum():
        return "punctuation"
    rest = expected.partition(wanted)[2].split()[:2]
    return "word" if rest and rest == found.partition(pasted)[2].split()[: len(rest)] else "other"
