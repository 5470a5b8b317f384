"""Confirms candidates: where a region contains a wording, and what the wording's placeholders stand for.

What a placeholder covers: an inner one covers the text between its neighbours. A leading one starts at the message's
start. A trailing one, and one before a short last literal such as `.`, ends at the message's end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from whyraise.matching.chains import Literal, Places, View, in_order, least_length, places, prepare, text_span, views
from whyraise.matching.regions import BREAK, FOLD, Region, Regions
from whyraise.matching.wording import SHORTEST, Wording
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.patterns.chain import Chain, Expression, Gap, squeeze
from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Span

if TYPE_CHECKING:
    from typing import Any

    from whyraise.patterns.parse import Pattern

# The most places of one wording in one region; more are repetitions.
_MOST_PLACES = 64
# A last literal no longer than this, such as `.`, is searched at the message's end, not right after its placeholder.
_SHORT_TAIL = 2

_WRAP = r"[ \t]*[\v\f][ \t]*"


class Capture(NamedTuple):
    """What a placeholder stands for; `pieces` are offsets of the cleaned text, without wraps."""

    name: str
    value: str
    pieces: tuple[Span, ...]


class Share(NamedTuple):
    """How many of the wording's own characters were found, of how many; whitespace does not count.

    `truncated_side` names the side on which the paste ends before the wording does: `head`, `tail`, or an empty text.
    """

    found: int
    wanted: int
    truncated_side: str


class Match(NamedTuple):
    """A wording found in a region. Offsets are those of the cleaned text.

    `pieces` are what `span` covers, without wraps.
    """

    wording: Wording
    region: Region
    span: Span
    pieces: tuple[Span, ...]
    captures: tuple[Capture, ...]
    share: Share


def search(wording: Wording, region: Region) -> Iterator[Match]:
    """Yield the matches of a whole wording in a region."""
    if wording.expression is not None:
        yield from _search_expression(wording, wording.expression, region)
    elif wording.chain is not None and wording.chain.literals:
        yield from _search_chain(wording, wording.chain, region)
    elif wording.chain is not None:
        whole = Span(0, len(region.text.rstrip()))
        yield _build_match(wording, region, whole, _divide(wording.chain.gaps[0], whole), Share(0, 0, ""))


def search_text(pattern: Pattern, text: str) -> list[Match]:
    """Return the matches of a pattern in a text without exceptions, as `search` finds them line by line."""
    regions = Regions(text, Reading((), ()))
    found: dict[Span, Match] = {}
    for wording in _wordings(pattern):
        for line in re.finditer("[^\n]+", text):
            region = regions.at(line.start(), multiline=is_multiline(wording))
            found |= {match.span: match for match in search(wording, region)}
    return [found[span] for span in sorted(found)]


def is_in_message(pattern: Pattern, message: str) -> bool:
    """Return whether the message of an exception contains a pattern, as `search` finds it."""
    region = Region(0, len(message), message, 0, echo=False)
    return any(True for wording in _wordings(pattern) for _ in search(wording, region))


def _wordings(pattern: Pattern) -> Iterator[Wording]:
    for chain, expression in (*((chain, None) for chain in pattern.chains), (None, pattern.expression)):
        yield Wording(0, 0, "", None, "", "", 0, "published", "", chain, expression, edge=False, needed=())


def is_multiline(wording: Wording) -> bool:
    """Return whether the text of a wording contains line ends."""
    return wording.chain is not None and any("\n" in literal for literal in wording.chain.literals)


def _search_chain(wording: Wording, chain: Chain, region: Region) -> Iterator[Match]:
    literals = [prepare(text) for text in chain.literals]
    if not in_order(literals, region):
        return
    share = Share(own_length(literals), own_length(literals), "")
    for view in views(region):
        floor = 0
        found = list(islice(places(chain, literals, view), _MOST_PLACES))
        for number, matched in enumerate(found):
            repeated = number + 1 < len(found) and share.wanted >= SHORTEST
            next_start = text_span(view, found[number + 1][0]).start if repeated else len(view.text)
            message = Span(floor, min(_message_end(region, view, matched), next_start))
            gap_spans = _gap_spans(chain, literals, view, matched, message)
            if gap_spans is not None and gap_spans[0].start >= floor:
                floor = gap_spans[-1].end
                span = Span(gap_spans[0].start, floor)
                yield _build_match(wording, region, span, _captured(chain, gap_spans), share)
        if floor:
            return


def own_length(literals: list[Literal]) -> int:
    """Return how many characters of its own a wording has, whitespace not counted."""
    return sum(len(literal.squeezed) for literal in literals)


def _message_end(region: Region, view: View, matched: Places) -> int:
    """Return where the message of a region ends. Outside of exceptions, a message ends with its line."""
    text = region.text
    end = text.find("\n", text_span(view, matched[-1]).end) if region.block is None else -1
    return len(text[:end].rstrip()) if end >= 0 else len(text.rstrip())


def _gap_spans(chain: Chain, literals: list[Literal], view: View, matched: Places, message: Span) -> list[Span] | None:
    """Return what each position between literals covers, in offsets of the region, or None if one is too short."""
    spans = [text_span(view, place) for place in matched]
    if len(spans) > 1 and not chain.gaps[-1] and len(literals[-1].squeezed) <= _SHORT_TAIL:
        spans[-1] = _short_tail(literals[-1], view.text, spans, message.end)
    starts = [_match_start(chain, view, spans[0].start, message.start), *(span.end for span in spans)]
    ends = [*(span.start for span in spans), max(spans[-1].end, message.end) if chain.gaps[-1] else spans[-1].end]
    covered = [Span(start, end) for start, end in zip(starts, ends, strict=True)]
    if view.is_squeezed:
        covered = [_trim(view.text, span) for span in covered]
    short = any(span.end - span.start < least_length(gaps) for span, gaps in zip(covered, chain.gaps, strict=True))
    return None if short else covered


def _match_start(chain: Chain, view: View, first: int, floor: int) -> int:
    """Return where a match starts: at its first literal, or if a placeholder leads, at its line or message start."""
    if not chain.gaps[0]:
        return first
    start = max(floor, view.text.rfind("\n", 0, first) + 1 if view.stops else 0)
    return first - len(view.text[start:first].lstrip())


def _short_tail(literal: Literal, text: str, spans: list[Span], end: int) -> Span:
    """Return where a short last literal ends the message or its line, else the last place in that line that has it."""
    if not literal.squeezed:  # whitespace at the end is the first thing that a paste loses
        return Span(end, end)
    before, length = spans[-2].end + 1, len(literal.text)
    line_end = text.find("\n", before)
    line = text[: line_end if 0 <= line_end < end else end].rstrip()
    for whole in (text[:end], line):
        if whole.endswith(literal.text) and len(whole) - length >= before:
            return Span(len(whole) - length, len(whole))
    offset = line.rfind(literal.text, before)
    return Span(offset, offset + length) if offset >= 0 else spans[-1]


def _trim(text: str, span: Span) -> Span:
    """Strip whitespace from both ends of a span, unless the span is only whitespace."""
    inside = text[span.start : span.end]
    if not inside.strip():
        return span
    start = span.start + len(inside) - len(inside.lstrip())
    return Span(start, start + len(inside.strip()))


def _captured(chain: Chain, gap_spans: list[Span]) -> list[tuple[Gap, Span]]:
    captured: list[tuple[Gap, Span]] = []
    for gaps, span in zip(chain.gaps, gap_spans, strict=True):
        captured += _divide(gaps, span)
    return captured


def _divide(gaps: tuple[Gap, ...], span: Span) -> list[tuple[Gap, Span]]:
    """Divide a span among adjacent placeholders: each gets the least it needs, and the last one gets the rest."""
    divided, start = [], span.start
    for gap in gaps[:-1]:
        divided.append((gap, Span(start, start + gap.min_length)))
        start += gap.min_length
    return [*divided, *((gap, Span(start, span.end)) for gap in gaps[-1:])]


def _search_expression(wording: Wording, expression: Expression, region: Region) -> Iterator[Match]:
    wanted = sum(len(squeeze(literal)) for literal in expression.literals)
    for found in _compile(expression.text).finditer(region.text):
        spans = [Span(*found.span(number)) for number in range(1, len(expression.names) + 1)]
        gaps = [Gap(name, 0, captured=True) for name in expression.names]
        captured = [(gap, span) for gap, span in zip(gaps, spans, strict=True) if span.start >= 0]
        if found.end() > found.start():
            yield _build_match(wording, region, Span(*found.span()), captured, Share(wanted, wanted, ""))


@lru_cache(maxsize=4096)
def _compile(expression: str) -> Any:
    import re2  # noqa: PLC0415  # few records need it

    return re2.compile(expression)


def _build_match(wording: Wording, region: Region, span: Span, gaps: list[tuple[Gap, Span]], share: Share) -> Match:
    """Return a match; `span` and the spans of the gaps are offsets of the region."""
    captures = tuple(
        Capture(gap.name, unwrap(region.text[covered.start : covered.end]), _pieces(region, covered))
        for gap, covered in gaps
        if gap.captured and covered.start < covered.end
    )
    span = _trim(region.text, span)
    whole = Span(region.start + span.start, region.start + span.end)
    return Match(wording, region, whole, _pieces(region, span), captures, share)


def unwrap(text: str) -> str:
    """Remove the marks of wraps from a region's text: a `FOLD` without blanks around it goes, others become a space."""
    return re.sub(_WRAP, lambda wrap: "" if wrap[0] == FOLD else " ", text)


def _pieces(region: Region, span: Span) -> tuple[Span, ...]:
    """Return a span of a region in offsets of the cleaned text, without wraps."""
    text, start, pieces = region.text[span.start : span.end], 0, []
    if FOLD in text or BREAK in text:
        for wrap in re.finditer(_WRAP, text):
            pieces.append(Span(start, wrap.start()))
            start = wrap.end()
    pieces.append(Span(start, len(text)))
    origin = region.start + span.start
    return tuple(Span(origin + piece.start, origin + piece.end) for piece in pieces)
