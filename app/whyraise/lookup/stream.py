"""Explains a log of any size in bounded memory: window by window, with the same answer as for the whole text.

Windows overlap. A match in the overlap is judged once, in the window that has more text around it. So an exception is
read whole if its first and its last line are no more than half an overlap apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from whyraise.lookup.explain import (
    Analysis,
    Group,
    analyse,
    build_finding,
    explain,
    nearest,
    shown_confidences,
    wrapper_advice,
)
from whyraise.lookup.explanation import MOST_EXCEPTIONS, Explanation, Finding, Occurrence
from whyraise.matching.confirm import MOST_OCCURRENCES
from whyraise.matching.ranking import sort_key
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading.paste import Span

if TYPE_CHECKING:
    from whyraise.knowledge.catalog import Catalog
    from whyraise.matching.evidence import Confidence
    from whyraise.reading.exceptions import ExceptionBlock

# How many code points a window has, and how many of them the next window has too.
WINDOW, OVERLAP = 4 << 20, 256 << 10


class Window(NamedTuple):
    """A window of a text: its offset and first line number in the whole text, and the part that is judged here."""

    text: str
    start: int
    line: int
    judged: Span


class _SortedFinding(NamedTuple):
    """A finding as far as the text was read, and the key that sorts findings best first."""

    key: tuple[object, ...]
    finding: Finding


def explain_stream(  # noqa: PLR0913  # those of `explain`, and the size of a window
    pieces: Iterable[str],
    catalog: Catalog,
    *,
    limit: int = 10,
    min_confidence: Confidence | None = None,
    muted: frozenset[str] = frozenset(),
    size: int = WINDOW,
) -> Explanation:
    """Find the known errors in a text that comes in pieces, as `explain` does in a whole text.

    Findings of records with a `muted` id are left out and counted. `size` is the number of code points of a window; the
    memory needed depends on it alone.
    """
    collected = _Collected(limit)
    for window in windows(pieces, size, min(OVERLAP, size // 2)):
        if window.start == 0 and window.judged.end == len(window.text):
            return explain(window.text, catalog, limit=limit, min_confidence=min_confidence, muted=muted)
        collected.add(window, catalog)
    return collected.explanation(catalog, min_confidence, muted)


def windows(pieces: Iterable[str], size: int, overlap: int) -> Iterator[Window]:
    """Divide a text into windows at line ends; each but the first begins with the end of the one before."""
    text, start, line, judged_from = "", 0, 1, 0
    for piece in pieces:
        text += piece
        while len(text) > size + overlap:
            end = text.rfind("\n", size // 2, size) + 1 or size
            next_start = text.rfind("\n", 0, end - overlap) + 1 or end - overlap
            judged_to = end - overlap // 2
            yield Window(text[:end], start, line, Span(judged_from, judged_to))
            line += text.count("\n", 0, next_start)
            start, judged_from, text = start + next_start, judged_to - next_start, text[next_start:]
    yield Window(text, start, line, Span(judged_from, len(text)))


class _Collected:
    """The findings and exceptions of the windows so far, each finding once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._findings: dict[str, _SortedFinding] = {}
        self._blocks: list[ExceptionBlock] = []
        self._last: Analysis | None = None
        self._windows = self._exceptions = 0

    def add(self, window: Window, catalog: Catalog) -> None:
        """Add the findings and exceptions in the judged part of a window."""
        analysis = analyse(window.text, catalog)
        blocks = [block for block in analysis.reading.blocks if _is_judged(analysis, window, block.header.start)]
        self._blocks = [*self._blocks, *blocks][-MOST_EXCEPTIONS:]
        self._exceptions += len(blocks)
        groups = [
            [judgement for judgement in group if _is_judged(analysis, window, judgement.match.span.start)]
            for group in analysis.groups
        ]
        for number, group in enumerate(filter(None, groups)):
            if group[0].confidence != "possible" or number <= self._limit:
                self._add(group, analysis, window, catalog)
        self._windows += 1
        self._last = analysis

    def _add(self, group: Group, analysis: Analysis, window: Window, catalog: Catalog) -> None:
        found = _in_whole_text(build_finding(group, analysis, catalog), window)
        # The last item of the key is an offset, which only orders findings within one window.
        new = _SortedFinding((*sort_key(group[0])[:-1], self._windows, group[0].match.span.start), found)
        old = self._findings.get(found.record.id, new)
        better = min(old, new, key=lambda entry: entry.key)
        occurrences = old.finding.occurrences + (found.occurrences if old is not new else ())
        merged = better.finding._replace(occurrences=occurrences[:MOST_OCCURRENCES])
        self._findings[found.record.id] = _SortedFinding(better.key, merged)

    def explanation(self, catalog: Catalog, least: Confidence | None, muted: frozenset[str]) -> Explanation:
        """Return the answer to the whole text."""
        every = [entry.finding for entry in sorted(self._findings.values(), key=lambda entry: entry.key)]
        ordered = [finding for finding in every if finding.record.id not in muted]
        confidences = shown_confidences(ordered[0].confidence if ordered else None, least)
        shown = [finding for finding in ordered if finding.confidence in confidences]
        return Explanation(
            datasets=catalog.datasets,
            findings=tuple(shown[: self._limit]),
            exceptions=tuple(self._blocks),
            nearest=() if shown or not self._last else nearest(self._last, catalog),
            wrapper=wrapper_advice(self._blocks),
            truncated=len(shown) > self._limit or self._exceptions > MOST_EXCEPTIONS,
            growing=catalog.growing,
            muted=len(every) - len(ordered),
        )


def _is_judged(analysis: Analysis, window: Window, position: int) -> bool:
    """Return whether a position of a window's cleaned text is in the part that is judged in this window."""
    spans = analysis.pasted.original_spans(position, min(position + 1, len(analysis.pasted.text)))
    return window.judged.start <= (spans[0].start if spans else len(window.text) - 1) < window.judged.end


def _in_whole_text(finding: Finding, window: Window) -> Finding:
    """Return a finding of a window with the line numbers and offsets of the whole text."""
    captures = (capture._replace(spans=_shift(capture.spans, window)) for capture in finding.captures)
    occurrences = (
        Occurrence(occurrence.line + window.line - 1, _shift(occurrence.spans, window), occurrence.rank)
        for occurrence in finding.occurrences
    )
    return finding._replace(
        line=finding.line + window.line - 1,
        spans=_shift(finding.spans, window),
        captures=tuple(captures),
        occurrences=tuple(occurrences),
    )


def _shift(spans: tuple[Span, ...], window: Window) -> tuple[Span, ...]:
    return tuple(Span(span.start + window.start, span.end + window.start) for span in spans)
