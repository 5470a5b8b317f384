"""Where an exception's message ends in a text: there is no mark for it, only what comes next."""

from __future__ import annotations

import re

from whyraise.reading.paste import Span
from whyraise.reading.traceback_parts import begins

# torchrun's summary stands between two rules.
_RULE = "=" * 20
_SUMMARY = r"\s*={20,}\n(?:[^\n]*\n){1,400}?={20,}$"
# What follows a message and is none of it: fences, C++ stacks, progress bars, rules, prompts, lines of a log, what test
# runners and programs say when they end.
_OTHER_OUTPUT = (
    r"\s*```|\s*frame #\d|Exception raised from|<omitting|\s*\[end of output\]|\^C|.{0,200}\d%\||[=_-]{5,}|[$#] |"
    r"\[?\d{4}-\d\d-\d\d[T ]|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|\[?[IWEF]\d{3,8} [\d:.]+ |"
    r"\s*\+-[-+ \d]*$|FAILED |(?:_ ){5,}|\s+warnings\.warn\(|"
    r"Set the environment variable HYDRA_FULL_ERROR|srun: |-- Process \d+ terminated"
)
_CLOSING = str.maketrans("[(", "])")


def end_of(text: str, start: int) -> int:
    """Return where the message that begins at `start` ends.

    It runs on over following lines until an empty one, a part of another traceback, or other output.
    """
    is_summary = text.startswith((_RULE, "\n" + _RULE), start)
    if is_summary and (summary := re.compile(_SUMMARY, re.M).match(text, start)):
        return summary.end()
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while end < len(text):
        stop = text.find("\n", end + 1)
        stop = len(text) if stop < 0 else stop
        line = text[end + 1 : stop]
        if not line.strip() or begins(text, end + 1) or re.match(_OTHER_OUTPUT, line):
            break
        end = stop
    return end


def before_echo(text: str, start: int, end: int) -> int:
    """Return where a warning's message ends: before the source line that Python quotes below it."""
    echo = text.find("\n  ", start, end)
    return end if echo < 0 else echo


def above(text: str, position: int) -> Span:
    """Return where the last indented paragraph above a position stands, without the source line that begins it."""
    end = len(text[:position].rstrip())
    start = max(text.rfind("\n\n", 0, end) + 2, text.rfind("\n>", 0, end) + 1)
    if text.startswith(">", start):
        start = min(end_of_line(text, start) + 1, end)
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Span(start, end)


def rank_above(text: str, position: int) -> int | None:
    """Return the process rank that torchrun's summary names above a position."""
    found = re.search(r"^ *rank +: (\d{1,6}) ", text[text.rfind(" rank ", 0, position) :], re.M)
    return int(found[1]) if found else None


def end_of_line(text: str, start: int) -> int:
    """Return where the line ends in which a position stands."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def end_of_quoted(text: str, start: int, opened: str) -> int:
    """A message that a person put in quotes or brackets ends where those close, with its line."""
    line = text[start : end_of_line(text, start)].rstrip()
    return start + len(line.rstrip(opened.translate(_CLOSING)))
