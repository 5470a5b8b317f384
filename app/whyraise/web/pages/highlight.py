"""The pasted text as it was, lit up: what findings matched, the exceptions that were read, and the noise between.

Only lines near something that was recognised are shown; the rest is folded and counted, so that a log of megabytes
costs a page of kilobytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from whyraise.lookup.explanation import Explanation, Finding
from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.paste import Paste, Span
from whyraise.safe_text import visible

# A text up to so many characters and lines is shown whole.
_WHOLE, _WHOLE_LINES = 30_000, 400
# Lines around what was recognised, lines where nothing was, occurrences of one finding, and lines in all.
_AROUND, _TAIL, _MOST_OCCURRENCES, _MOST_LINES = 6, 60, 20, 400
# Characters of a line that are shown whole, and around what was recognised in a longer one.
_LONG_LINE, _NEAR = 1000, 200

_RELATIONS = {
    "raised": "raised",
    "cause": "the cause",
    "context": "raised before, while handled",
    "group": "member of a group",
    "worker": "from a worker",
    "remote": "from another process",
}
# What lies above what, where marks overlap.
_HEIGHTS = {"noise": 0, "parting": 1, "match": 2, "capture": 3}


class Mark(NamedTuple):
    """A stretch of the pasted text that means something: `number` counts findings or near records from 1."""

    start: int
    end: int
    kind: str
    number: int
    name: str
    anchor: str


class Segment(NamedTuple):
    """A piece of a line; `fold` is how many characters are left out there."""

    text: str
    kind: str = ""
    number: int = 0
    name: str = ""
    anchor: str = ""
    fold: int = 0


class Line(NamedTuple):
    """A line, or `fold` lines that are left out; `exception` counts from 1, and `label` stands where it begins.

    `pointer` says that it only points at what stands above, as Python's carets do, and means nothing when wrapped.
    """

    number: int
    segments: tuple[Segment, ...]
    exception: int = 0
    label: str = ""
    fold: int = 0
    pointer: bool = False


class Lit(NamedTuple):
    """A paste lit up: its lines, how many it had, and whether some are folded."""

    lines: tuple[Line, ...]
    total: int
    folded: bool


def light(pasted: Paste, found: Explanation) -> Lit:
    """Light a paste up with what was found in it."""
    text = pasted.original
    starts = [0, *(end.end() for end in re.finditer("\n", text))]
    if len(starts) > 1 and starts[-1] == len(text):
        starts.pop()
    marks = list(_marks(found))
    outlines = _outlines(pasted, found.exceptions)
    by_line = _by_line(marks, starts)
    inside = _exceptions_by_line(outlines, starts)
    shown = _shown(text, starts, by_line, outlines)
    noise = _Noise(pasted)
    lines: list[Line] = []
    at = 0
    for number in shown:
        if number > at:
            lines.append(Line(at + 1, (), fold=number - at))
        start, end = starts[number], starts[number + 1] if number + 1 < len(starts) else len(text)
        exception, label = inside.get(number, (0, ""))
        segments = tuple(_segments(text, Span(start, end), by_line.get(number, ()), noise))
        pointer = not text[start:end].strip(" ^~\r\n") and "^" in text[start:end]
        lines.append(Line(number + 1, segments, exception, label, pointer=pointer))
        at = number + 1
    if at < len(starts):
        lines.append(Line(at + 1, (), fold=len(starts) - at))
    return Lit(tuple(lines), len(starts), any(line.fold for line in lines))


def _marks(found: Explanation) -> Iterator[Mark]:
    for number, finding in enumerate(found.findings, 1):
        yield from _of_finding(number, finding)
    for number, near in enumerate(found.nearest, 1):
        for place, span in enumerate(near.spans):
            yield Mark(*span, "parting", number, "", f"p{number}" if not place else "")


def _of_finding(number: int, finding: Finding) -> Iterator[Mark]:
    for count, occurrence in enumerate(finding.occurrences[:_MOST_OCCURRENCES]):
        for place, span in enumerate(occurrence.spans):
            anchor = "" if place else f"m{number}" + (f"-{count + 1}" if count else "")
            yield Mark(*span, "match", number, "", anchor)
    for capture in finding.captures:
        for span in capture.spans:
            yield Mark(*span, "capture", number, capture.name, "")


def _outlines(pasted: Paste, blocks: Sequence[ExceptionBlock]) -> list[tuple[int, str, tuple[Span, ...]]]:
    """Return for each exception its number, its label, and where it stands in the pasted text."""
    found = []
    for number, block in enumerate(blocks, 1):
        edges = [block.header.start if block.header.start < block.header.end else block.span.start, block.span.start]
        start, end = min([*edges, *(frame.start for frame in block.frames)]), max(block.span.end, block.header.end)
        name = block.class_name.rpartition(".")[2] or "error"
        label = f"{name}, {_RELATIONS[block.relation]}" + ("" if block.rank is None else f", rank {block.rank}")
        found.append((number, label, pasted.original_spans(start, end)))
    return found


def _line_of(position: int, starts: Sequence[int]) -> int:
    return bisect_right(starts, position) - 1


def _by_line(marks: Iterable[Mark], starts: Sequence[int]) -> dict[int, list[Mark]]:
    found: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        for line in range(_line_of(mark.start, starts), _line_of(max(mark.start, mark.end - 1), starts) + 1):
            found[line].append(mark)
    return found


def _exceptions_by_line(
    outlines: Iterable[tuple[int, str, tuple[Span, ...]]], starts: Sequence[int]
) -> dict[int, tuple[int, str]]:
    found: dict[int, tuple[int, str]] = {}
    for number, label, spans in outlines:
        first = True
        for span in spans:
            for line in range(_line_of(span.start, starts), _line_of(max(span.start, span.end - 1), starts) + 1):
                found[line] = (number, label if first else found.get(line, (0, ""))[1])
                first = False
    return found


def _shown(
    text: str,
    starts: Sequence[int],
    by_line: dict[int, list[Mark]],
    outlines: Iterable[tuple[int, str, tuple[Span, ...]]],
) -> list[int]:
    """Return the numbers of the lines to show, from 0."""
    if len(text) <= _WHOLE and len(starts) <= _WHOLE_LINES:
        return list(range(len(starts)))
    heart = sorted(by_line)
    ends = [_line_of(max(spans[-1].end - 1, 0), starts) for _, _, spans in outlines if spans]
    wanted: dict[int, None] = {}
    for line in [*heart, *(ends if not heart else ends[-5:])] or [len(starts) - 1]:
        around = _AROUND if heart or ends else _TAIL
        for number in range(max(0, line - around), min(len(starts), line + around + 1)):
            wanted.setdefault(number)
        if len(wanted) > _MOST_LINES:
            break
    return sorted(wanted)


class _Noise:
    """What the reading of a paste left out, found by where it stood."""

    def __init__(self, pasted: Paste) -> None:
        kept = sorted((piece.origin, piece.origin + piece.length) for piece in pasted.pieces if piece.length)
        self._starts, self._ends = [start for start, _ in kept], [end for _, end in kept]

    def within(self, start: int, end: int) -> Iterator[Mark]:
        """Yield the noise of a stretch of the pasted text."""
        at, number = start, max(0, bisect_right(self._starts, start) - 1)
        while number < len(self._starts) and self._starts[number] < end:
            if self._starts[number] > at:
                yield Mark(at, self._starts[number], "noise", 0, "", "")
            at = max(at, self._ends[number])
            number += 1
        if at < end:
            yield Mark(at, end, "noise", 0, "", "")


def _segments(text: str, line: Span, marks: Sequence[Mark], noise: _Noise) -> Iterator[Segment]:
    """Yield the pieces of a line without its end, of a long one only what lies near a mark, its start and its end."""
    end = line.start + len(text[line.start : line.end].rstrip("\r\n"))
    at, used = line.start, set[str]()
    for left, right in _kept(line.start, end, marks):
        if left > at:
            yield Segment("", fold=left - at)
        for start, stop, above in _cut(left, right, [*marks, *noise.within(left, right)]):
            anchor = next((m.anchor for m in above if m.anchor and m.anchor not in used and m.start >= start), "")
            used.add(anchor)
            top = max(above, key=lambda mark: _HEIGHTS[mark.kind], default=None)
            said = visible(text[start:stop])
            yield Segment(said, top.kind, top.number, top.name, anchor) if top else Segment(said)
        at = right
    if at < end:
        yield Segment("", fold=end - at)


def _cut(start: int, end: int, marks: Sequence[Mark]) -> Iterator[tuple[int, int, list[Mark]]]:
    """Cut a stretch where marks begin and end, and yield each piece with the marks that it lies in."""
    edges = {start, end, *(min(max(edge, start), end) for mark in marks for edge in (mark.start, mark.end))}
    waiting = sorted(marks, key=lambda mark: mark.start, reverse=True)
    above: list[Mark] = []
    for left, right in pairwise(sorted(edges)):
        while waiting and waiting[-1].start <= left:
            above.append(waiting.pop())
        above = [mark for mark in above if mark.end > left]
        yield left, right, above


def _kept(start: int, end: int, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """Return which stretches of a line to show."""
    if end - start <= _LONG_LINE:
        return [(start, end)]
    telling = [mark for mark in marks if mark.kind != "noise"][:20]
    wanted = [(start, start + _NEAR), (end - _NEAR, end)]
    for mark in telling:
        near = (max(start, mark.start - _NEAR), min(end, mark.end + _NEAR))
        wanted += (
            [near] if near[1] - near[0] <= 10 * _NEAR else [(near[0], mark.start + _NEAR), (mark.end - _NEAR, near[1])]
        )
    whole: list[tuple[int, int]] = []
    for left, right in sorted(wanted):
        if whole and left <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(whole[-1][1], right))
        else:
            whole.append((left, right))
    return whole
