"""Confirms candidates: where a wording stands in a region, and what its placeholders stand for.

The extents of placeholders: an inner one is what lies between its neighbours; a leading one starts at the message's
start; a trailing one, and one that only a short literal such as `.` follows, run to the end of the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from whyraise.matching.chains import Literal, Places, View, in_order, literal_of, places, stand, views
from whyraise.matching.regions import BREAK, FOLD, Region, Regions
from whyraise.matching.wording import SHORTEST, Wording
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.patterns.chain import Chain, Expression, Gap, squeeze
from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Span

if TYPE_CHECKING:
    from typing import Any

    from whyraise.patterns.parse import Pattern

# Places of one wording in one region; more are repetitions.
MOST_PLACES = 64
# A last literal no longer than this, such as `.`, ends the message and not the placeholder before it.
SHORT_TAIL = 2

_WRAP = r"[ \t]*[\v\f][ \t]*"


class Capture(NamedTuple):
    """What a placeholder stands for; `pieces` are offsets of the cleaned text, wraps left out."""

    name: str
    value: str
    pieces: tuple[Span, ...]


class Share(NamedTuple):
    """How many characters of a wording's own text were found, white space aside, of how many.

    `cut` names the side on which the paste ends before the wording does: `head`, `tail`, or nothing.
    """

    found: int
    wanted: int
    cut: str


class Match(NamedTuple):
    """A wording found in a region. Offsets are those of the cleaned text.

    `pieces` are what `span` covers, wraps left out.
    """

    wording: Wording
    region: Region
    span: Span
    pieces: tuple[Span, ...]
    captures: tuple[Capture, ...]
    share: Share


def search(wording: Wording, region: Region) -> Iterator[Match]:
    """Yield where a wording stands whole in a region."""
    if wording.expression is not None:
        yield from _expressed(wording, wording.expression, region)
    elif wording.chain is not None and wording.chain.literals:
        yield from _chained(wording, wording.chain, region)
    elif wording.chain is not None:
        whole = Span(0, len(region.text.rstrip()))
        yield made(wording, region, whole, _shared(wording.chain.gaps[0], whole), Share(0, 0, ""))


def search_text(pattern: Pattern, text: str) -> list[Match]:
    """Return where a pattern stands in a text without exceptions, as `search` finds it line by line."""
    bodies = [*((chain, None) for chain in pattern.chains), (None, pattern.expression)]
    regions = Regions(text, Reading((), ()))
    found: dict[Span, Match] = {}
    for chain, expression in bodies:
        wording = Wording(0, 0, "", None, "", "", 0, "published", "", chain, expression, edge=False, needed=())
        for line in re.finditer("[^\n]+", text):
            region = regions.at(line.start(), multiline=is_multiline(wording))
            found |= {match.span: match for match in search(wording, region)}
    return [found[span] for span in sorted(found)]


def is_multiline(wording: Wording) -> bool:
    """Say whether a wording has line ends of its own."""
    return wording.chain is not None and any("\n" in literal for literal in wording.chain.literals)


def _chained(wording: Wording, chain: Chain, region: Region) -> Iterator[Match]:
    literals = [literal_of(text) for text in chain.literals]
    if not in_order(literals, region):
        return
    share = Share(own_text(literals), own_text(literals), "")
    for view in views(region):
        floor = 0
        found = list(islice(places(chain, literals, view), MOST_PLACES))
        for number, where in enumerate(found):
            repeated = number + 1 < len(found) and share.wanted >= SHORTEST
            again = stand(view, found[number + 1][0]).start if repeated else len(view.text)
            message = Span(floor, min(_message_end(region, view, where), again))
            extents = _extents(chain, literals, view, where, message)
            if extents is not None and extents[0].start >= floor:
                floor = extents[-1].end
                yield made(wording, region, Span(extents[0].start, floor), _captured(chain, extents), share)
        if floor:
            return


def own_text(literals: list[Literal]) -> int:
    """Return how many characters of its own a wording has, white space aside."""
    return sum(len(literal.packed) for literal in literals)


def _message_end(region: Region, view: View, where: Places) -> int:
    """Return where the message ends that begins in a region: a line's message with its line."""
    text = region.text
    end = text.find("\n", stand(view, where[-1]).end) if region.block is None else -1
    return len(text[:end].rstrip()) if end >= 0 else len(text.rstrip())


def _extents(chain: Chain, literals: list[Literal], view: View, where: Places, message: Span) -> list[Span] | None:
    """Return what each position between literals covers, in offsets of the region, or None where one is too short."""
    stands = [stand(view, place) for place in where]
    if len(stands) > 1 and not chain.gaps[-1] and len(literals[-1].packed) <= SHORT_TAIL:
        stands[-1] = _last(literals[-1], view.text, stands, message.end)
    starts = [_lead(chain, view, stands[0].start, message.start), *(stand.end for stand in stands)]
    ends = [*(stand.start for stand in stands), max(stands[-1].end, message.end) if chain.gaps[-1] else stands[-1].end]
    spans = [Span(start, end) for start, end in zip(starts, ends, strict=True)]
    if view.packed is not view.text:
        spans = [_trimmed(view.text, span) for span in spans]
    short = any(
        span.end - span.start < sum(gap.least for gap in gaps) for span, gaps in zip(spans, chain.gaps, strict=True)
    )
    return None if short else spans


def _lead(chain: Chain, view: View, first: int, floor: int) -> int:
    """Return where a wording begins: at its first literal, or at the start of its line or message before that."""
    if not chain.gaps[0]:
        return first
    start = max(floor, view.text.rfind("\n", 0, first) + 1 if view.stops else 0)
    return first - len(view.text[start:first].lstrip())


def _last(literal: Literal, text: str, stands: list[Span], end: int) -> Span:
    """Return where a short last literal ends the message, its line, or is seen last in that line."""
    if not literal.packed:  # white space at the end is the first thing that a paste loses
        return Span(end, end)
    before, length = stands[-2].end + 1, len(literal.text)
    line_end = text.find("\n", before)
    line = text[: line_end if 0 <= line_end < end else end].rstrip()
    for whole in (text[:end], line):
        if whole.endswith(literal.text) and len(whole) - length >= before:
            return Span(len(whole) - length, len(whole))
    place = line.rfind(literal.text, before)
    return Span(place, place + length) if place >= 0 else stands[-1]


def _trimmed(text: str, span: Span) -> Span:
    """Leave out the white space at the ends of a stretch, unless it is nothing else."""
    inside = text[span.start : span.end]
    if not inside.strip():
        return span
    start = span.start + len(inside) - len(inside.lstrip())
    return Span(start, start + len(inside.strip()))


def _captured(chain: Chain, extents: list[Span]) -> list[tuple[Gap, Span]]:
    found: list[tuple[Gap, Span]] = []
    for gaps, span in zip(chain.gaps, extents, strict=True):
        found += _shared(gaps, span)
    return found


def _shared(gaps: tuple[Gap, ...], span: Span) -> list[tuple[Gap, Span]]:
    """Share out what adjacent placeholders cover: each takes its least but for the last, which takes what is left."""
    found, start = [], span.start
    for gap in gaps[:-1]:
        found.append((gap, Span(start, start + gap.least)))
        start += gap.least
    return [*found, *((gap, Span(start, span.end)) for gap in gaps[-1:])]


def _expressed(wording: Wording, expression: Expression, region: Region) -> Iterator[Match]:
    wanted = sum(len(squeeze(literal)) for literal in expression.literals)
    for found in _compiled(expression.text).finditer(region.text):
        spans = [Span(*found.span(number)) for number in range(1, len(expression.names) + 1)]
        gaps = [Gap(name, 0, captured=True) for name in expression.names]
        captured = [(gap, span) for gap, span in zip(gaps, spans, strict=True) if span.start >= 0]
        if found.end() > found.start():
            yield made(wording, region, Span(*found.span()), captured, Share(wanted, wanted, ""))


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> Any:
    import re2  # noqa: PLC0415  # few records need it

    return re2.compile(expression)


def made(wording: Wording, region: Region, span: Span, gaps: list[tuple[Gap, Span]], share: Share) -> Match:
    """Return a match; `span` and those of the gaps are offsets of the region."""
    captures = tuple(
        Capture(gap.name, value_of(region.text[at.start : at.end]), _pieces(region, at))
        for gap, at in gaps
        if gap.captured and at.start < at.end
    )
    span = _trimmed(region.text, span)
    whole = Span(region.start + span.start, region.start + span.end)
    return Match(wording, region, whole, _pieces(region, span), captures, share)


def value_of(text: str) -> str:
    """Return a marked text with its wraps undone."""
    return re.sub(_WRAP, lambda wrap: "" if wrap[0] == FOLD else " ", text)


def _pieces(region: Region, span: Span) -> tuple[Span, ...]:
    """Return a stretch of a region in offsets of the cleaned text, wraps left out."""
    text, start, pieces = region.text[span.start : span.end], 0, []
    if FOLD in text or BREAK in text:
        for wrap in re.finditer(_WRAP, text):
            pieces.append(Span(start, wrap.start()))
            start = wrap.end()
    pieces.append(Span(start, len(text)))
    origin = region.start + span.start
    return tuple(Span(origin + piece.start, origin + piece.end) for piece in pieces)
