"""Finds a chain's literals in order in a region, leftmost and with the shortest gaps, as Python's `re` would.

Two ways to read a text: as it stands, and without white space. In the second, white space still counts where it parts
words: where the chain has some between two words the text has some too; inside a word the text has none but at a wrap.
Nothing here is quadratic: a line that lacks a literal is left at once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from whyraise.matching.regions import BREAK, FOLD, Region
from whyraise.namedtuples import NamedTuple
from whyraise.patterns.chain import Chain, squeeze
from whyraise.reading.paste import Span


class Literal(NamedTuple):
    """A literal as it is looked for: its text, that without white space, and the characters it had some before."""

    text: str
    packed: str
    spaced: frozenset[int]


class View(NamedTuple):
    """A region's text as it is searched: `packed[i]` stands at `at[i]` of `text`; `stops` end a gap."""

    text: str
    packed: str
    at: Sequence[int]
    stops: str


Places = tuple[Span, ...]


@lru_cache(maxsize=100_000)
def literal_of(text: str) -> Literal:
    """Prepare a literal for searching."""
    packed: list[str] = []
    spaced: set[int] = set()
    for word in re.findall(r"\S+", text):
        spaced.add(len(packed))
        packed += word
    spaced.discard(0)
    if text[:1].isspace():
        spaced.add(0)
    if text[-1:].isspace():
        spaced.add(len(packed))
    return Literal(text, "".join(packed), frozenset(spaced))


def views(region: Region) -> Iterator[View]:
    """Yield the ways to read a region, strictest first."""
    text = region.text
    plain = text.replace(FOLD, "\n").replace(BREAK, "\n")
    yield View(plain, plain, range(len(plain)), "\n")
    packed, at = _packed(text)
    yield View(text, packed, at, "\n")
    if region.block is not None and "\n" in text:
        yield View(text, packed, at, "")


@lru_cache(maxsize=256)
def _packed(text: str) -> tuple[str, list[int]]:
    """Return a text without white space, and where each character stood; candidates of one region come together."""
    return squeeze(text), [position for position, char in enumerate(text) if not char.isspace()]


def in_order(literals: list[Literal], region: Region) -> bool:
    """Say whether all literals stand in a region in order, white space aside: without that, no view holds them."""
    packed, start = _packed(region.text)[0], 0
    for literal in literals:
        place = packed.find(literal.packed, start)
        if place < 0:
            return False
        start = place + len(literal.packed)
    return True


def places(chain: Chain, literals: list[Literal], view: View) -> Iterator[Places]:
    """Yield where a chain's literals stand in a view, each time leftmost and with the shortest gaps."""
    start = 0
    while (found := _next(chain, literals, view, start)) is not None:
        where, start = found
        if where:
            yield where


def _next(chain: Chain, literals: list[Literal], view: View, start: int) -> tuple[Places, int] | None:
    """Return the next places and where to go on, or no places where the line held no more."""
    first = _first(chain, literals[0], view, start)
    if first is None:
        return None
    where, limit = [first], 0
    for literal, gap in zip(literals[1:], chain.gaps[1:-1], strict=True):
        limit = max(limit, _stop(view, where[-1].end)) if limit <= where[-1].end else limit
        place = _after(literal, view, where[-1].end, limit, sum(one.least for one in gap))
        if place is None:
            # An earlier first literal leaves more room than a later one of its line, so the line has no match.
            return (), first.start + 1 if "\n" in literals[0].text else max(first.start + 1, _stop(view, first.end))
        where.append(place)
        limit = 0 if "\n" in literal.text else limit
    return tuple(where), max(where[-1].end + sum(one.least for one in chain.gaps[-1]), first.start + 1)


def _first(chain: Chain, literal: Literal, view: View, start: int) -> Span | None:
    """Return the first place of the first literal that leaves room before it in its line for what must stand there."""
    least = sum(one.least for one in chain.gaps[0])
    place = find(literal, view, start, len(view.packed))
    while least and place is not None and _room(view, start, place.start) < least:
        place = find(literal, view, place.start + 1, len(view.packed))
    return place


def _room(view: View, start: int, end: int) -> int:
    """Return how many characters of a line stand before a place, from `start` on."""
    origin = stand(view, Span(end, end)).end if end else view.at[end]
    begin = view.at[start - 1] + 1 if start else 0
    if view.stops:
        begin = max(begin, view.text.rfind("\n", 0, origin) + 1)
    return len(view.text[begin:origin].strip()) if view.packed is not view.text else origin - begin


def _after(literal: Literal, view: View, start: int, limit: int, least: int) -> Span | None:
    """Return the first place of a literal that leaves a gap of at least that many characters and ends by `limit`."""
    if view.packed is not view.text and limit < len(view.packed) and 0 not in literal.spaced:
        limit -= 1  # only a literal that begins with white space may begin a line
    # A gap is no mere white space: that belongs to the literal before it.
    first = start + 1 if least and not literal.packed and view.packed is not view.text else start
    place = find(literal, view, first, limit)
    while place is not None and _width(view, start, place.start) < least:
        place = find(literal, view, place.start + 1, limit)
    return place


def _width(view: View, start: int, end: int) -> int:
    """Return how many characters of the text lie between two places; a line end alone is none."""
    before = view.at[start - 1] + 1 if start else 0
    after = view.at[end] if end < len(view.at) else len(view.text)
    return after - before if start < end or view.text[before:after].isprintable() else 0


def _stop(view: View, start: int) -> int:
    """Return up to where a gap that begins here may run."""
    if not view.stops or start >= len(view.at):
        return len(view.packed)
    origin = view.at[start - 1] + 1 if start else 0
    ends = [end for stop in view.stops if (end := view.text.find(stop, origin)) >= 0]
    return bisect_left(view.at, min(ends)) if ends else len(view.packed)


def find(literal: Literal, view: View, start: int, limit: int) -> Span | None:
    """Return the first place of a literal at or after `start` and beginning at or before `limit`."""
    strict = view.packed is view.text
    if not literal.packed and not strict:
        return _blank(view, start, limit)
    wanted = literal.text if strict else literal.packed
    end = min(limit + len(wanted), len(view.packed))
    place = view.packed.find(wanted, start, end)
    while place >= 0:
        span = Span(place, place + len(wanted))
        if strict or fits(literal, view, span):
            return span
        place = view.packed.find(wanted, place + 1, end)
    return None


def _blank(view: View, start: int, limit: int) -> Span | None:
    """Return the first place where the text has white space, for a literal that is nothing else."""
    stop = min(limit + 1, len(view.at))
    place = next((n for n in range(max(start, 1), stop) if view.at[n] > view.at[n - 1] + 1), None)
    return None if place is None else Span(place, place)


def stand(view: View, place: Span) -> Span:
    """Return where a place of a view is in its text."""
    if place.start < place.end:
        return Span(view.at[place.start], view.at[place.end - 1] + 1)
    return Span(view.at[place.start - 1] + 1, view.at[place.start])


def fits(literal: Literal, view: View, span: Span) -> bool:
    """Say whether a literal that was found without white space has it where it matters."""
    text, at = view.text, view.at
    if text[at[span.start] : at[span.end - 1] + 1] != literal.text.strip():
        for number in range(1, len(literal.packed)):
            left, right = at[span.start + number - 1], at[span.start + number]
            if not _fits_between(text, left, right, number in literal.spaced):
                return False
    before, after = at[span.start], at[span.end - 1]
    if 0 in literal.spaced and span.start and not _fits_between(text, at[span.start - 1], before, spaced=True):
        return False
    ends_spaced = len(literal.packed) in literal.spaced
    return not (ends_spaced and span.end < len(at) and not _fits_between(text, after, at[span.end], spaced=True))


def _fits_between(text: str, left: int, right: int, spaced: bool) -> bool:
    """Say whether the white space between two characters is as the wording has it, as far as it parts words."""
    if not (_in_word(text[left]) and _in_word(text[right])):
        return True
    if spaced:
        return right > left + 1
    return right == left + 1 or FOLD in text[left:right] or BREAK in text[left:right]


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"
