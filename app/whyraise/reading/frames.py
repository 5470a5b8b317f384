"""The frames of a traceback, in every form in which programs print them."""

from __future__ import annotations

import re

from whyraise.namedtuples import NamedTuple
from whyraise.reading.noise import MIN_TERMINAL_WIDTH


class Frame(NamedTuple):
    """A stack frame as read from the paste: the path as printed, the line number if printed, and the function.

    `start` and `end` are the offsets of its line in the cleaned text.
    """

    path: str
    line: int | None
    function: str
    start: int
    end: int


# A number with this many digits is not a line number: Python itself refuses to read it.
_MAX_DIGITS = 10
_MAX_NAME = 200
_WHITESPACE = (" ", "\t", "\n")
# pytest prints the source of a function above its frame; the `def` is searched for in this many characters.
_MAX_SOURCE = 4000
_DEF = r"(?m)^[ \t>]*(?:async )?def (\w+)\("


def read_frame(part: re.Match[str], text: str) -> Frame:
    """Return the frame that a part of a traceback (see `traceback_parts`) describes."""
    kind = part.lastgroup
    if kind == "frame":
        path, line, function = part.group("path", "line", "function")
        return _frame(part, path, line, (function or "") + _rest_of_name(part.end(), text))
    if kind == "test":
        return _frame(part, part["test_path"], part["test_line"], _function_above(part, text))
    if kind == "bare":
        return _frame(part, "", part["bare_line"], part["bare_function"])
    if kind == "cell":
        return _frame(part, part["cell_path"], "", part["cell_function"])
    fields = part.groupdict()
    return _frame(part, fields[f"{kind}_path"] or "", fields[f"{kind}_line"], fields.get(f"{kind}_function"))


def _frame(part: re.Match[str], path: str, line: str | None, function: str | None) -> Frame:
    digits = line.replace("\n", "") if line else ""
    number = int(digits) if digits and len(digits) < _MAX_DIGITS else None
    if "\n" in path:
        path = "".join(piece.strip(" \t") for piece in path.split("\n"))
    start, end = part.span()
    return Frame(path, number, function or "", start, end)


def _function_above(part: re.Match[str], text: str) -> str:
    """Return the name of the function whose source pytest prints above a frame, or an empty text."""
    names = [match[1] for match in re.finditer(_DEF, text[max(0, part.start() - _MAX_SOURCE) : part.start()])]
    return names[-1] if names else ""


def _rest_of_name(end: int, text: str) -> str:
    """Return the rest of a function's name that a terminal wrapped onto the next line; a source line is indented."""
    if text.startswith(_WHITESPACE, end + 1):
        return ""
    line, _, _ = text[end + 1 : end + 1 + _MAX_NAME].partition("\n")
    is_full = end - text.rfind("\n", 0, end) > MIN_TERMINAL_WIDTH
    return line if is_full and line.replace("_", "x").isalnum() else ""
