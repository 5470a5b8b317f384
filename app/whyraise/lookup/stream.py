"""A log of any size, explained in bounded memory: window by window, with the same answer as reading it whole.

Windows overlap. What stands in the overlap is judged once, in the window where more stands around it; so an exception
is read whole as long as no more than half an overlap lies between its first and its last line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from whyraise.lookup.explain import Group, Look, advice, believed, explain, finding, look_at, nearest
from whyraise.lookup.explanation import MOST_EXCEPTIONS, Explanation, Finding, Occurrence
from whyraise.matching.confirm import MOST_OCCURRENCES
from whyraise.matching.ranking import place
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading.paste import Span

if TYPE_CHECKING:
    from whyraise.knowledge.catalog import Catalog
    from whyraise.matching.evidence import Confidence
    from whyraise.reading.exceptions import ExceptionBlock

# Code points that are read at once, and that two windows share.
WINDOW, OVERLAP = 4 << 20, 256 << 10


class Window(NamedTuple):
    """A stretch of a text: where it begins and on which line, and which part of it is judged here."""

    text: str
    start: int
    line: int
    judged: Span


class _Known(NamedTuple):
    """A finding as far as the text was read, and its place in the order of findings."""

    place: tuple[object, ...]
    finding: Finding


def explain_stream(
    pieces: Iterable[str],
    catalog: Catalog,
    *,
    limit: int = 10,
    min_confidence: Confidence | None = None,
    size: int = WINDOW,
) -> Explanation:
    """Find the known errors in a text that comes in pieces, as `explain` does in one that is there whole.

    `size` is the code points of a window; the memory that is needed grows with it alone.
    """
    gathered = _Gathered(limit)
    for window in windows(pieces, size, min(OVERLAP, size // 2)):
        if window.start == 0 and window.judged.end == len(window.text):
            return explain(window.text, catalog, limit=limit, min_confidence=min_confidence)
        gathered.add(window, catalog)
    return gathered.explanation(catalog, min_confidence)


def windows(pieces: Iterable[str], size: int, overlap: int) -> Iterator[Window]:
    """Cut a text into windows at line ends, each but the first beginning with the end of the one before."""
    text, start, line, judged_from = "", 0, 1, 0
    for piece in pieces:
        text += piece
        while len(text) > size + overlap:
            end = text.rfind("\n", size // 2, size) + 1 or size
            kept = text.rfind("\n", 0, end - overlap) + 1 or end - overlap
            until = end - overlap // 2
            yield Window(text[:end], start, line, Span(judged_from, until))
            line += text.count("\n", 0, kept)
            start, judged_from, text = start + kept, until - kept, text[kept:]
    yield Window(text, start, line, Span(judged_from, len(text)))


class _Gathered:
    """What the windows gave so far, each finding once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known: dict[str, _Known] = {}
        self._blocks: list[ExceptionBlock] = []
        self._last: Look | None = None
        self._number = self._read = 0

    def add(self, window: Window, catalog: Catalog) -> None:
        """Add what a window gives in its judged part."""
        look = look_at(window.text, catalog)
        blocks = [block for block in look.reading.blocks if _is_judged(look, window, block.header.start)]
        self._blocks = [*self._blocks, *blocks][-MOST_EXCEPTIONS:]
        self._read += len(blocks)
        groups = [[one for one in group if _is_judged(look, window, one.match.span.start)] for group in look.groups]
        for number, group in enumerate(filter(None, groups)):
            if group[0].confidence != "possible" or number <= self._limit:
                self._add(group, look, window, catalog)
        self._number += 1
        self._last = look

    def _add(self, group: Group, look: Look, window: Window, catalog: Catalog) -> None:
        found = _moved(finding(group, look, catalog), window)
        new = _Known((*place(group[0])[:-1], self._number, group[0].match.span.start), found)
        old = self._known.get(found.record.id, new)
        better = min(old, new, key=lambda known: known.place)
        occurrences = old.finding.occurrences + (found.occurrences if old is not new else ())
        merged = better.finding._replace(occurrences=occurrences[:MOST_OCCURRENCES])
        self._known[found.record.id] = _Known(better.place, merged)

    def explanation(self, catalog: Catalog, least: Confidence | None) -> Explanation:
        """Return the answer to the whole text."""
        ordered = [known.finding for known in sorted(self._known.values(), key=lambda known: known.place)]
        confidences = believed(ordered[0].confidence if ordered else None, least)
        shown = [each for each in ordered if each.confidence in confidences]
        return Explanation(
            datasets=catalog.datasets,
            findings=tuple(shown[: self._limit]),
            exceptions=tuple(self._blocks),
            nearest=() if shown or not self._last else nearest(self._last, catalog),
            wrapper=advice(self._blocks),
            truncated=len(shown) > self._limit or self._read > MOST_EXCEPTIONS,
            growing=catalog.growing,
        )


def _is_judged(look: Look, window: Window, position: int) -> bool:
    """Say whether what stands at a position of a window's cleaned text is judged in this window."""
    spans = look.pasted.original_spans(position, min(position + 1, len(look.pasted.text)))
    return window.judged.start <= (spans[0].start if spans else len(window.text) - 1) < window.judged.end


def _moved(found: Finding, window: Window) -> Finding:
    """Return a finding of a window with the lines and code points of the whole text."""
    captures = (each._replace(spans=_shifted(each.spans, window)) for each in found.captures)
    occurrences = (
        Occurrence(each.line + window.line - 1, _shifted(each.spans, window), each.rank) for each in found.occurrences
    )
    return found._replace(
        line=found.line + window.line - 1,
        spans=_shifted(found.spans, window),
        captures=tuple(captures),
        occurrences=tuple(occurrences),
    )


def _shifted(spans: tuple[Span, ...], window: Window) -> tuple[Span, ...]:
    return tuple(Span(span.start + window.start, span.end + window.start) for span in spans)
