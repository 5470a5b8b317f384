"""Why a text does not match a wording: which literal failed, where the two part, and what would make it match.

The answer a person needs is one place in each: "matched up to here; the record says `expected`, the paste says
`Expected`".
"""

from __future__ import annotations

import re

from whyraise.matching.chains import Literal as Piece
from whyraise.matching.chains import View, find, literal_of, views
from whyraise.matching.regions import Region
from whyraise.matching.wording import Wording
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading.paste import Span

if TYPE_CHECKING:
    from typing import Literal as OneOf

    Hint = OneOf["case", "punctuation", "word", "ends", "other"]

# How far the record's and the paste's words are quoted on either side of the parting.
_QUOTED = 60
_WORD = r"\s*(\w+|[^\w\s]+)"


class Parting(NamedTuple):
    """Where a text and a wording part.

    `segment` is the number of the literal that failed, from 0; `shared` counts the wording's own characters found
    before, `alike` also those that only differ in case. `matched` quotes the end of what agrees, `expected` what the
    record says next, `found` what the paste says there. `hint` says what would make it match: another case, other
    punctuation, another word; `ends` where the paste ends, `other` where the texts have no more in common. `span` is
    where the first word of `found` stands, in offsets of the cleaned text.
    """

    segment: int
    shared: int
    alike: int
    matched: str
    expected: str
    found: str
    hint: Hint
    span: Span


def parting(wording: Wording, region: Region) -> Parting | None:
    """Return where a region's text and a wording part, or None where the wording has no literals or matches whole."""
    if wording.chain is None or not wording.chain.literals:
        return None
    view = list(views(region))[-1]
    start, shared = 0, 0
    for number, text in enumerate(wording.chain.literals):
        literal = literal_of(text)
        place = find(literal, view, start, len(view.packed))
        if place is None:
            at, length, alike = _nearest_beginning(literal, view, start)
            expected = _from_packed(text, length)
            position = view.at[at + length] if at + length < len(view.at) else len(view.text)
            found = _parting(region, position, text, expected)
            return found._replace(segment=number, shared=shared + length, alike=shared + alike)
        start, shared = place.end, shared + len(literal.packed)
    return None


def _nearest_beginning(literal: Piece, view: View, start: int) -> tuple[int, int, int]:
    """Return where the text agrees longest with a literal's beginning, for how many characters, and letter case aside.

    Letters of the other case count where that agrees longer; the text is then quoted from where the case differs.
    """
    at, length = _longest_beginning(literal.packed, view.packed, start)
    folded = view.packed.lower()
    if length < len(literal.packed) // 2 and len(folded) == len(view.packed):
        other, longer = _longest_beginning(literal.packed.lower(), folded, start)
        if longer > length:
            return other, _agreeing(literal.packed, view.packed[other:]), longer
    return at, length, length


def _longest_beginning(literal: str, text: str, start: int) -> tuple[int, int]:
    """Find the longest beginning of a literal in a text; whether one is there is monotone in its length."""
    low, high = 0, len(literal)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text.find(literal[:middle], start) >= 0 else (low, middle - 1)
    return (text.find(literal[:low], start), low) if low else (start, 0)


def _agreeing(left: str, right: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _parting(region: Region, position: int, text: str, expected: str) -> Parting:
    """Quote both sides from the start of the word in which they part."""
    start = _word_start(text, len(text) - len(expected))
    if expected[:1].isalnum() and start < len(text) - len(expected):
        position, expected = _word_start(region.text, position), text[start:]
    found = region.text[position : position + _QUOTED]
    end = region.start + position + len(_first_word(found))
    return Parting(
        segment=0,
        shared=0,
        alike=0,
        matched=" ".join(region.text[max(0, position - _QUOTED) : position].split()),
        expected=" ".join(expected[:_QUOTED].split()),
        found=" ".join(found.split()),
        hint=_hint(expected, found),
        span=Span(region.start + position, end),
    )


def _from_packed(text: str, length: int) -> str:
    """Return a text from its non-blank character number `length` on."""
    for position, char in enumerate(text):
        if not char.isspace():
            if not length:
                return text[position:]
            length -= 1
    return ""


def _word_start(text: str, position: int) -> int:
    while position and text[position - 1].isalnum():
        position -= 1
    return position


def _first_word(text: str) -> str:
    word = re.match(_WORD, text)
    return word[0] if word else ""


def _hint(expected: str, found: str) -> Hint:
    """Say what parts two texts at their first words."""
    wanted, pasted = _first_word(expected).strip(), _first_word(found).strip()
    if not pasted:
        return "ends"
    if wanted.lower() == pasted.lower():
        return "case"
    if not wanted[:1].isalnum() or not pasted[:1].isalnum():
        return "punctuation"
    rest = expected.partition(wanted)[2].split()[:2]
    return "word" if rest and rest == found.partition(pasted)[2].split()[: len(rest)] else "other"
