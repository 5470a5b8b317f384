"""Finds where an exception's message ends. Nothing marks the end of a message; only what follows shows it."""

from __future__ import annotations

import re

from whyraise.reading.paste import Span
from whyraise.reading.traceback_parts import is_part

# torchrun's summary is enclosed by two rules.
_RULE = "=" * 20
_SUMMARY = r"\s*={20,}\n(?:[^\n]*\n){1,400}?={20,}$"
# Output that follows a message and is not part of it: fences, C++ stacks, progress bars, rules, prompts, log lines, and
# the last lines of test runners and other programs.
_OTHER_OUTPUT = (
    r"\s*```|\s*frame #\d|Exception raised from|<omitting|\s*\[end of output\]|\^C|.{0,200}\d%\||[=_-]{5,}|[$#] |"
    r"\[?\d{4}-\d\d-\d\d[T ]|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|\[?[IWEF]\d{3,8} [\d:.]+ |"
    r"\s*\+-[-+ \d]*$|FAILED |(?:_ ){5,}|\s+warnings\.warn\(|"
    r"Set the environment variable HYDRA_FULL_ERROR|srun: |-- Process \d+ terminated"
)
_CLOSING = str.maketrans("[(", "])")


def message_end(text: str, start: int, limit: int) -> int:
    """Return the offset where the message that begins at `start` ends.

    It continues over the following lines until an empty line, a part of another traceback, or other output. It ends
    before `limit`, the offset where the lines of its process end.
    """
    limit -= text.endswith("\n", 0, limit)
    return min(_unlimited_end(text, start), max(limit, start))


def _unlimited_end(text: str, start: int) -> int:
    is_summary = text.startswith((_RULE, "\n" + _RULE), start)
    if is_summary and (summary := re.compile(_SUMMARY, re.M).match(text, start)):
        return summary.end()
    end = line_end(text, start)
    while end < len(text):
        next_end = line_end(text, end + 1)
        line = text[end + 1 : next_end]
        if not line.strip() or is_part(text, end + 1) or re.match(_OTHER_OUTPUT, line):
            break
        end = next_end
    return end


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


def quoted_end(text: str, start: int, opened: str) -> int:
    """Return the offset where a message in quotes or brackets ends: before the closing ones at the end of its line."""
    line = text[start : line_end(text, start)].rstrip()
    return start + len(line.rstrip(opened.translate(_CLOSING)))


def is_repeated(text: str) -> bool:
    """Return whether a text consists of two equal halves."""
    half = len(text) // 2
    return len(text) > 1 and text[:half] == text[half:]
