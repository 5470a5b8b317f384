"""Finds a chain's literals in order in a region, leftmost and with the shortest gaps, as Python's `re` would.

A text is searched in two ways: as it is, and without whitespace. In the second way, whitespace still counts between two
words: if the chain has whitespace there, the text needs it too; inside a word the text may have none, except at a wrap.
No search takes quadratic time: a line that lacks a literal is skipped at once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from whyraise.matching.regions import BREAK, FOLD, Region
from whyraise.namedtuples import NamedTuple
from whyraise.patterns.chain import Chain, Gap, squeeze
from whyraise.reading.paste import Span


class Literal(NamedTuple):
    """A literal prepared for searching: its text, with and without whitespace.

    `spaces` holds the indexes of `squeezed` that whitespace precedes; its length stands for whitespace at the end.
    """

    text: str
    squeezed: str
    spaces: frozenset[int]


class View(NamedTuple):
    """A region's text as it is searched.

    `searched` is the text with or without whitespace; `searched[i]` is at `offsets[i]` of `text`. A gap does not go
    beyond any character of `stops`.
    """

    text: str
    searched: str
    offsets: Sequence[int]
    stops: str

    @property
    def is_squeezed(self) -> bool:
        """Whether the text is searched without whitespace."""
        return self.searched is not self.text


Places = tuple[Span, ...]


@lru_cache(maxsize=100_000)
def prepare(text: str) -> Literal:
    """Prepare a literal for searching."""
    squeezed: list[str] = []
    spaces: set[int] = set()
    for word in re.findall(r"\S+", text):
        spaces.add(len(squeezed))
        squeezed += word
    spaces.discard(0)
    if text[:1].isspace():
        spaces.add(0)
    if text[-1:].isspace():
        spaces.add(len(squeezed))
    return Literal(text, "".join(squeezed), frozenset(spaces))


def views(region: Region) -> Iterator[View]:
    """Yield the ways to search a region, strictest first."""
    text = region.text
    plain = text.replace(FOLD, "\n").replace(BREAK, "\n")
    yield View(plain, plain, range(len(plain)), "\n")
    squeezed, offsets = _squeeze(text)
    yield View(text, squeezed, offsets, "\n")
    if region.block is not None and "\n" in text:
        yield View(text, squeezed, offsets, "")


# Cached because the candidates of one region come one after another.
@lru_cache(maxsize=256)
def _squeeze(text: str) -> tuple[str, list[int]]:
    """Return a text without whitespace, and the offset of each character that is left."""
    return squeeze(text), [offset for offset, char in enumerate(text) if not char.isspace()]


def in_order(literals: list[Literal], region: Region) -> bool:
    """Return whether a region contains all literals in order, whitespace ignored. If not, no view contains them."""
    squeezed, start = _squeeze(region.text)[0], 0
    for literal in literals:
        offset = squeezed.find(literal.squeezed, start)
        if offset < 0:
            return False
        start = offset + len(literal.squeezed)
    return True


def places(chain: Chain, literals: list[Literal], view: View) -> Iterator[Places]:
    """Yield where a chain's literals are in a view, each time leftmost and with the shortest gaps.

    The places are offsets of `view.searched`.
    """
    start = 0
    while (found := _next(chain, literals, view, start)) is not None:
        matched, start = found
        if matched:
            yield matched


def _next(chain: Chain, literals: list[Literal], view: View, start: int) -> tuple[Places, int] | None:
    """Return the next places and where to search on; no places if the line has no match, None at the end."""
    first = _first(chain, literals[0], view, start)
    if first is None:
        return None
    matched, limit = [first], 0
    for literal, gaps in zip(literals[1:], chain.gaps[1:-1], strict=True):
        limit = max(limit, _stop(view, matched[-1].end)) if limit <= matched[-1].end else limit
        place = _after(literal, view, matched[-1].end, limit, least_length(gaps))
        if place is None:
            # An earlier first literal leaves more room than a later one of its line, so the line has no match.
            return (), first.start + 1 if "\n" in literals[0].text else max(first.start + 1, _stop(view, first.end))
        matched.append(place)
        limit = 0 if "\n" in literal.text else limit
    return tuple(matched), max(matched[-1].end + least_length(chain.gaps[-1]), first.start + 1)


def least_length(gaps: Sequence[Gap]) -> int:
    """Return the fewest characters that adjacent gaps cover together."""
    return sum(gap.min_length for gap in gaps)


def _first(chain: Chain, literal: Literal, view: View, start: int) -> Span | None:
    """Return the first place of the first literal that leaves enough room before it in its line for a leading gap."""
    least = least_length(chain.gaps[0])
    place = find(literal, view, start, len(view.searched))
    while least and place is not None and _room(view, start, place.start) < least:
        place = find(literal, view, place.start + 1, len(view.searched))
    return place


def _room(view: View, start: int, end: int) -> int:
    """Return how many characters a line has before a place, counted from `start` on."""
    text_end = text_span(view, Span(end, end)).end if end else view.offsets[end]
    text_start = view.offsets[start - 1] + 1 if start else 0
    if view.stops:
        text_start = max(text_start, view.text.rfind("\n", 0, text_end) + 1)
    return len(view.text[text_start:text_end].strip()) if view.is_squeezed else text_end - text_start


def _after(literal: Literal, view: View, start: int, limit: int, least: int) -> Span | None:
    """Return the first place of a literal that leaves a gap of at least `least` characters and begins by `limit`."""
    if view.is_squeezed and limit < len(view.searched) and 0 not in literal.spaces:
        limit -= 1  # only a literal that begins with whitespace may begin a line
    # A gap is more than whitespace: that belongs to the literal before it.
    first = start + 1 if least and not literal.squeezed and view.is_squeezed else start
    place = find(literal, view, first, limit)
    while place is not None and _width(view, start, place.start) < least:
        place = find(literal, view, place.start + 1, limit)
    return place


def _width(view: View, start: int, end: int) -> int:
    """Return how many characters the text has between two places; a line end alone counts as none."""
    before = view.offsets[start - 1] + 1 if start else 0
    after = view.offsets[end] if end < len(view.offsets) else len(view.text)
    return after - before if start < end or view.text[before:after].isprintable() else 0


def _stop(view: View, start: int) -> int:
    """Return where a gap that begins at `start` has to end at the latest."""
    if not view.stops or start >= len(view.offsets):
        return len(view.searched)
    text_start = view.offsets[start - 1] + 1 if start else 0
    ends = [end for stop in view.stops if (end := view.text.find(stop, text_start)) >= 0]
    return bisect_left(view.offsets, min(ends)) if ends else len(view.searched)


def find(literal: Literal, view: View, start: int, limit: int) -> Span | None:
    """Return the first place of a literal that begins between `start` and `limit`, both included."""
    squeezed = view.is_squeezed
    if not literal.squeezed and squeezed:
        return _find_whitespace(view, start, limit)
    wanted = literal.squeezed if squeezed else literal.text
    end = min(limit + len(wanted), len(view.searched))
    offset = view.searched.find(wanted, start, end)
    while offset >= 0:
        span = Span(offset, offset + len(wanted))
        if not squeezed or _fits(literal, view, span):
            return span
        offset = view.searched.find(wanted, offset + 1, end)
    return None


def _find_whitespace(view: View, start: int, limit: int) -> Span | None:
    """Return the first place where the text has whitespace, for a literal that is only whitespace."""
    stop = min(limit + 1, len(view.offsets))
    indexes = range(max(start, 1), stop)
    place = next((index for index in indexes if view.offsets[index] > view.offsets[index - 1] + 1), None)
    return None if place is None else Span(place, place)


def text_span(view: View, place: Span) -> Span:
    """Return the offsets in `view.text` of a place in `view.searched`."""
    if place.start < place.end:
        return Span(view.offsets[place.start], view.offsets[place.end - 1] + 1)
    return Span(view.offsets[place.start - 1] + 1, view.offsets[place.start])


def _fits(literal: Literal, view: View, span: Span) -> bool:
    """Return whether a literal that was found without whitespace has whitespace in the text where it matters."""
    text, offsets = view.text, view.offsets
    if text[offsets[span.start] : offsets[span.end - 1] + 1] != literal.text.strip():
        for index in range(1, len(literal.squeezed)):
            left, right = offsets[span.start + index - 1], offsets[span.start + index]
            if not _fits_between(text, left, right, index in literal.spaces):
                return False
    first, last = offsets[span.start], offsets[span.end - 1]
    if 0 in literal.spaces and span.start and not _fits_between(text, offsets[span.start - 1], first, spaced=True):
        return False
    ends_spaced = len(literal.squeezed) in literal.spaces
    return not (
        ends_spaced and span.end < len(offsets) and not _fits_between(text, last, offsets[span.end], spaced=True)
    )


def _fits_between(text: str, left: int, right: int, spaced: bool) -> bool:
    """Return whether there is whitespace between two characters if the wording has some; only words matter."""
    if not (_in_word(text[left]) and _in_word(text[right])):
        return True
    if spaced:
        return right > left + 1
    return right == left + 1 or FOLD in text[left:right] or BREAK in text[left:right]


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"
