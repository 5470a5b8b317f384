"""Chooses which lines of a large paste, and which parts of a long line, the page shows; it folds the rest."""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.web.pages.marks import Mark

# A text of up to this many characters and lines is not folded.
_MAX_CHARACTERS, _MAX_LINES = 30_000, 400
# How many lines are shown around each line of interest, and at the end of a text that has none. Once more than
# `_MAX_SHOWN_LINES` lines are shown, no further lines are added.
_CONTEXT_LINES, _TAIL_LINES, _MAX_SHOWN_LINES = 6, 60, 400
# In a text with marks, only the ends of the last exceptions are shown.
_MAX_EXCEPTIONS = 5
# A line of up to this many characters is not folded; of a longer one so many are shown around each mark, at its
# start and at its end. A mark with its context that is longer than `_MAX_RANGE` is folded in the middle.
_MAX_LINE_LENGTH, _CONTEXT_CHARACTERS, _MAX_RANGE = 1000, 200, 2000
# Only the first marks of a long line are shown.
_MAX_MARKS_IN_LINE = 20


def shown_lines(
    text: str, line_count: int, marked_lines: Sequence[int], exception_ends: Sequence[int]
) -> Sequence[int]:
    """Return the 0-based indexes of the lines to show, in order.

    `marked_lines` are the lines with marks, in order, and `exception_ends` the last lines of the exceptions.
    """
    if len(text) <= _MAX_CHARACTERS and line_count <= _MAX_LINES:
        return range(line_count)
    ends = exception_ends[-_MAX_EXCEPTIONS:] if marked_lines else exception_ends
    lines_of_interest = [*marked_lines, *ends]
    context = _CONTEXT_LINES if lines_of_interest else _TAIL_LINES
    shown: set[int] = set()
    for line in lines_of_interest or [line_count - 1]:
        shown.update(range(max(0, line - context), min(line_count, line + context + 1)))
        if len(shown) > _MAX_SHOWN_LINES:
            break
    return sorted(shown)


def shown_ranges(start: int, end: int, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """Return the ranges to show of a line that reaches from offset `start` to `end`, in order."""
    if end - start <= _MAX_LINE_LENGTH:
        return [(start, end)]
    ranges = [(start, start + _CONTEXT_CHARACTERS), (end - _CONTEXT_CHARACTERS, end)]
    for mark in [mark for mark in marks if mark.kind != "noise"][:_MAX_MARKS_IN_LINE]:
        left, right = max(start, mark.start - _CONTEXT_CHARACTERS), min(end, mark.end + _CONTEXT_CHARACTERS)
        if right - left <= _MAX_RANGE:
            ranges.append((left, right))
        else:
            ranges += [(left, mark.start + _CONTEXT_CHARACTERS), (mark.end - _CONTEXT_CHARACTERS, right)]
    return _merged(ranges)


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order; those that touch or overlap become one."""
    merged: list[tuple[int, int]] = []
    for left, right in sorted(ranges):
        if merged and left <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged
