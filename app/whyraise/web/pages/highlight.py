"""Splits a pasted text into lines and segments with their marks: findings, exceptions and noise.

Only lines near a mark or an exception are shown. The others are folded and counted, so that the page for a log of
several megabytes has only kilobytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from whyraise.lookup.explanation import Explanation
from whyraise.namedtuples import NamedTuple
from whyraise.names import bare_name
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.paste import Paste, Span
from whyraise.safe_text import visible
from whyraise.web.pages.folding import shown_lines, shown_ranges
from whyraise.web.pages.marks import Mark, NoiseFinder, marks_of

_RELATIONS = {
    "raised": "raised",
    "cause": "the cause",
    "context": "raised before, while handled",
    "group": "member of a group",
    "worker": "from a worker",
    "remote": "from another process",
}
# If marks overlap, the one with the highest priority is shown.
_PRIORITIES = {"noise": 0, "parting": 1, "match": 2, "capture": 3}


class Segment(NamedTuple):
    """A part of a line; `fold` is the number of characters that are folded there."""

    text: str
    kind: str = ""
    number: int = 0
    name: str = ""
    anchor: str = ""
    fold: int = 0


class Line(NamedTuple):
    """A line, or `fold` folded lines from line `number` on.

    `exception` is the number of the exception that the line belongs to, from 1, or 0. `label` names the exception on
    its first line. `pointer` marks a line that only points at the line above, as Python's carets do: it must not wrap.
    """

    number: int
    segments: tuple[Segment, ...]
    exception: int = 0
    label: str = ""
    fold: int = 0
    pointer: bool = False


class HighlightedPaste(NamedTuple):
    """A paste with its marks: the lines to show, the number of all lines, and whether some are folded."""

    lines: tuple[Line, ...]
    total: int
    folded: bool


class _Outline(NamedTuple):
    """An exception in the paste: its number from 1, its label, and its ranges in the pasted text."""

    number: int
    label: str
    spans: tuple[Span, ...]


def highlight(pasted: Paste, answer: Explanation) -> HighlightedPaste:
    """Highlight what was found in a paste."""
    text = pasted.original
    starts = _line_starts(text)
    marks = _marks_by_line(marks_of(answer), starts)
    outlines = list(_outlines(pasted, answer.exceptions))
    labels = _labels_by_line(outlines, starts)
    ends = [_line_at(max(outline.spans[-1].end - 1, 0), starts) for outline in outlines if outline.spans]
    noise = NoiseFinder(pasted)
    lines: list[Line] = []
    next_line = 0
    for index in shown_lines(text, len(starts), sorted(marks), ends):
        if index > next_line:
            lines.append(Line(next_line + 1, (), fold=index - next_line))
        span = Span(starts[index], starts[index + 1] if index + 1 < len(starts) else len(text))
        exception, label = labels.get(index, (0, ""))
        segments = tuple(_segments(text, span, marks.get(index, ()), noise))
        lines.append(Line(index + 1, segments, exception, label, pointer=_is_pointer(text[span.start : span.end])))
        next_line = index + 1
    if next_line < len(starts):
        lines.append(Line(next_line + 1, (), fold=len(starts) - next_line))
    return HighlightedPaste(tuple(lines), len(starts), any(line.fold for line in lines))


def _line_starts(text: str) -> list[int]:
    """Return the offset of each line; an empty line at the end does not count."""
    starts = [0, *(line_end.end() for line_end in re.finditer("\n", text))]
    if len(starts) > 1 and starts[-1] == len(text):
        starts.pop()
    return starts


def _is_pointer(line: str) -> bool:
    return "^" in line and not line.strip(" ^~\r\n")


def _outlines(pasted: Paste, blocks: Sequence[ExceptionBlock]) -> Iterator[_Outline]:
    for number, block in enumerate(blocks, 1):
        header = block.header if block.header.start < block.header.end else block.span
        start = min(header.start, block.span.start, *(frame.start for frame in block.frames))
        end = max(block.span.end, block.header.end)
        name = bare_name(block.class_name) or "error"
        label = f"{name}, {_RELATIONS[block.relation]}" + ("" if block.rank is None else f", rank {block.rank}")
        yield _Outline(number, label, pasted.original_spans(start, end))


def _line_at(offset: int, starts: Sequence[int]) -> int:
    """Return the 0-based index of the line at an offset."""
    return bisect_right(starts, offset) - 1


def _lines_between(start: int, end: int, starts: Sequence[int]) -> range:
    """Return the indexes of the lines that a range of the text touches; an empty range touches the line it is in."""
    return range(_line_at(start, starts), _line_at(max(start, end - 1), starts) + 1)


def _marks_by_line(marks: Iterable[Mark], starts: Sequence[int]) -> dict[int, list[Mark]]:
    by_line: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        for line in _lines_between(mark.start, mark.end, starts):
            by_line[line].append(mark)
    return by_line


def _labels_by_line(outlines: Iterable[_Outline], starts: Sequence[int]) -> dict[int, tuple[int, str]]:
    """Return for each line of an exception the exception's number, and its label if an exception starts there."""
    by_line: dict[int, tuple[int, str]] = {}
    for number, label, spans in outlines:
        first = True
        for span in spans:
            for line in _lines_between(span.start, span.end, starts):
                by_line[line] = (number, label if first else by_line.get(line, (0, ""))[1])
                first = False
    return by_line


def _segments(text: str, line: Span, marks: Sequence[Mark], noise: NoiseFinder) -> Iterator[Segment]:
    """Yield the segments of a line without its line end; parts of a long line are folded."""
    end = line.start + len(text[line.start : line.end].rstrip("\r\n"))
    position, used_anchors = line.start, set[str]()
    for left, right in shown_ranges(line.start, end, marks):
        if left > position:
            yield Segment("", fold=left - position)
        for start, stop, covering in _split_at_marks(left, right, [*marks, *noise.within(left, right)]):
            anchors = (mark.anchor for mark in covering if mark.anchor and mark.start >= start)
            anchor = next((anchor for anchor in anchors if anchor not in used_anchors), "")
            used_anchors.add(anchor)
            top = max(covering, key=lambda mark: _PRIORITIES[mark.kind], default=None)
            shown = visible(text[start:stop])
            yield Segment(shown, top.kind, top.number, top.name, anchor) if top else Segment(shown)
        position = right
    if position < end:
        yield Segment("", fold=end - position)


def _split_at_marks(start: int, end: int, marks: Sequence[Mark]) -> Iterator[tuple[int, int, list[Mark]]]:
    """Split a range at the ends of marks; yield the start and end of each part, and the marks that cover it."""
    edges = {start, end, *(min(max(edge, start), end) for mark in marks for edge in (mark.start, mark.end))}
    waiting = sorted(marks, key=lambda mark: mark.start, reverse=True)
    covering: list[Mark] = []
    for left, right in pairwise(sorted(edges)):
        while waiting and waiting[-1].start <= left:
            covering.append(waiting.pop())
        covering = [mark for mark in covering if mark.end > left]
        yield left, right, covering
