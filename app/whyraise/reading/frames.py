"""The frames of tracebacks: how programs print them, and a file's path as its package knows it."""

from __future__ import annotations

import re

from whyraise.namedtuples import NamedTuple


class Frame(NamedTuple):
    """One line of a traceback: the file as printed, the line number where given, and the function."""

    path: str
    line: int | None
    function: str
    start: int
    end: int


# A line number of more digits is none: Python itself refuses to read it.
_LONGEST_NUMBER = 10
# Terminals narrower than this are not in use.
_NARROWEST = 30
_LONGEST_NAME = 200
_BLANKS = (" ", "\t", "\n")
# So far above a line the `def` stands that pytest shows with it.
_NEAR = 4000
_DEF = r"(?m)^[ \t>]*(?:async )?def (\w+)\("


def frame_of(part: re.Match[str], text: str) -> Frame:
    """Return the frame that a part of a traceback is."""
    kind = part.lastgroup
    if kind == "frame":
        path, line, function = part.group("path", "line", "function")
        return _frame(part, path, line, (function or "") + _rest_of_name(part.end(), text))
    if kind == "test":
        return _frame(part, part["test_path"], part["test_line"], _shown(part, text))
    if kind == "bare":
        return _frame(part, "", part["bare_line"], part["bare_function"])
    if kind == "cell":
        return _frame(part, part["cell_path"], "", part["cell_function"])
    fields = part.groupdict()
    return _frame(part, fields[f"{kind}_path"] or "", fields[f"{kind}_line"], fields.get(f"{kind}_function"))


def _frame(part: re.Match[str], path: str, line: str | None, function: str | None) -> Frame:
    digits = line.replace("\n", "") if line else ""
    number = int(digits) if digits and len(digits) < _LONGEST_NUMBER else None
    if "\n" in path:
        path = "".join(piece.strip(" \t") for piece in path.split("\n"))
    start, end = part.span()
    return Frame(path, number, function or "", start, end)


def _shown(part: re.Match[str], text: str) -> str:
    """Return the function of which pytest shows the source above a frame."""
    names = [found[1] for found in re.finditer(_DEF, text[max(0, part.start() - _NEAR) : part.start()])]
    return names[-1] if names else ""


def _rest_of_name(end: int, text: str) -> str:
    """Return the rest of a function's name that a terminal's width cut off; a source line would be indented."""
    if text.startswith(_BLANKS, end + 1):
        return ""
    line, _, _ = text[end + 1 : end + 1 + _LONGEST_NAME].partition("\n")
    is_full = end - text.rfind("\n", 0, end) > _NARROWEST
    return line if is_full and line.replace("_", "x").isalnum() else ""
