"""Finds tracebacks whose lines are in reverse order, as in a log that shows its newest line first."""

from __future__ import annotations

import re

from whyraise.reading.prefixes import FRAME_START, MAX_MARKERS, MAX_PREFIX, TITLE

_CLASS_LINE = r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?::|$)"


def find_reversed(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the tracebacks whose lines are in reverse order."""
    found: list[tuple[int, int]] = []
    position = text.find(TITLE)
    while position >= 0:
        end = text.find("\n", position) + 1 or len(text)
        start = _reversed_start(text, text.rfind("\n", 0, position) + 1)
        if start >= 0 and not text[end : end + MAX_PREFIX].lstrip().startswith(FRAME_START):
            found.append((start, end))
        position = text.find(TITLE, end)
    return found


def _reversed_start(text: str, title: int) -> int:
    """Return the offset of the line with the class, above the frames and the title of a reversed traceback, or -1."""
    start, frames = title, 0
    for _ in range(MAX_MARKERS):
        before = text.rfind("\n", 0, start - 1) + 1
        line = text[before:start]
        if not start or not line.strip():
            return -1
        frames += line.lstrip().startswith(FRAME_START)
        if start == title and not frames:
            return -1
        if not line[0].isspace() and re.match(_CLASS_LINE, line):
            return before
        start = before
    return -1
