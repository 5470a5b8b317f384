"""Finds where an exception's message ends. Nothing marks the end of a message; only what follows shows it."""

from __future__ import annotations

import re

from whyraise.namedtuples import NamedTuple
from whyraise.reading.paste import Span
from whyraise.reading.traceback_parts import is_part

# torchrun's summary is enclosed by two rules.
_RULE = "=" * 20
_SUMMARY = r"\s*={20,}\n(?:[^\n]*\n){1,400}?={20,}$"
# The most places where a message may end; and the most lines that are looked at beyond where it probably ends.
_MOST_ENDS = _MOST_GUESSED = 16
# What a line is shows in this many characters.
_LONGEST_LINE = 400
# Errors of libraries in C: no class of Python has such a name.
_OTHER_CLASS = r"[a-z]\w*: "
_CLOSING = str.maketrans("[(", "])")


class Ends(NamedTuple):
    """Where a message ends: probably, and all places where it may, in the order of the text."""

    likely: int
    possible: tuple[int, ...]


def message_ends(text: str, start: int, limit: int) -> Ends:
    """Return the offsets where the message that begins at `start` may end.

    It goes on over the following lines until an empty line, a part of another traceback, or a line that is surely not
    part of it. It ends before `limit`, the offset where the lines of its process end.
    """
    limit = max(limit - text.endswith("\n", 0, limit), start)
    is_summary = text.startswith((_RULE, "\n" + _RULE), start)
    if is_summary and (summary := re.compile(_SUMMARY, re.M).match(text, start)):
        end = min(summary.end(), limit)
        return Ends(end, (end,))
    end = min(line_end(text, start), limit)
    if end >= limit:
        return Ends(end, (end,))
    return _ends_below(text, start, end, limit)


def _ends_below(text: str, start: int, end: int, limit: int) -> Ends:
    """Return where a message may end whose first line ends at `end`, and that may go on below it."""
    from whyraise.reading.line_kinds import belongs, open_brackets  # noqa: PLC0415  # a single line does not need it

    before, opened = text[start:end], open_brackets(text[start:end])
    likely, guessed, possible = -1, 0, []
    while end < limit and guessed < _MOST_GUESSED:
        next_end = min(line_end(text, end + 1), limit)
        line = text[end + 1 : next_end]
        if not line.strip() or (is_part(text, end + 1) and not re.match(_OTHER_CLASS, line)):
            break
        found = belongs(before, line[:_LONGEST_LINE], is_open=opened > 0)
        if found != "yes":
            possible.append(end)
        if found == "unlikely" and likely < 0:
            likely = end
        guessed += likely >= 0
        before, opened, end = line, opened + open_brackets(line), next_end
    possible.append(end)
    likely = end if likely < 0 else likely
    return Ends(likely, tuple(sorted({*possible[: _MOST_ENDS - 1], likely})))


def warning_end(text: str, start: int, end: int) -> int:
    """Return the offset where a warning's message ends: before the source line that Python quotes below it."""
    source_line = text.find("\n  ", start, end)
    return end if source_line < 0 else source_line


def paragraph_above(text: str, position: int) -> Span:
    """Return the span of the last indented paragraph above a position, without a first line that is source code."""
    end = len(text[:position].rstrip())
    start = max(text.rfind("\n\n", 0, end) + 2, text.rfind("\n>", 0, end) + 1)
    if text.startswith(">", start):
        start = min(line_end(text, start) + 1, end)
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Span(start, end)


def rank_above(text: str, position: int) -> int | None:
    """Return the process rank that torchrun's summary names above a position, or None if there is no summary."""
    found = re.search(r"^ *rank +: (\d{1,6}) ", text[text.rfind(" rank ", 0, position) :], re.M)
    return int(found[1]) if found else None


def line_end(text: str, position: int) -> int:
    """Return the offset where the line that contains a position ends."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def next_unindented(text: str, start: int, end: int) -> int:
    """Return the offset of the next line that is neither blank nor indented, or `end` if there is none."""
    while start < end:
        start = text.find("\n", start, end) + 1 or end
        if start < end and not text[start].isspace():
            return start
    return end


def quoted_end(text: str, start: int, opened: str) -> int:
    """Return the offset where a message in quotes or brackets ends: before the closing ones at the end of its line."""
    line = text[start : line_end(text, start)].rstrip()
    return start + len(line.rstrip(opened.translate(_CLOSING)))


def is_repeated(text: str) -> bool:
    """Return whether a text consists of two equal halves."""
    half = len(text) // 2
    return len(text) > 1 and text[:half] == text[half:]
