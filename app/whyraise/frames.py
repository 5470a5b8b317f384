"""The frames of tracebacks: how programs print them, and a file's path as its package knows it."""

from __future__ import annotations

import re

from whyraise.shape import NamedTuple


class Frame(NamedTuple):
    """One line of a traceback: the file as printed, the line number where given, and the function."""

    path: str
    line: int | None
    function: str
    start: int
    end: int


# One alternative for each form in which a frame is printed; a path may be cut by the width of a terminal.
# `path`: Python itself, loguru, SyntaxError. `rich`: rich, pytest's short form, notebooks of today; `bare`: rich, where
# there is no source. `cell`, `notebook`: notebooks, old and new. `test`: pytest's long form, which names what was
# raised there instead of the function.
_WORD = r"""[^\s:"'<>|]"""
_BREAK = r"(?:\ |[ \t]*\n[ \t]*)"
_FILE = rf"{_WORD}*[\w-]\.p(?:yx?|xi)"
_CUT = rf"[/\\~]{_WORD}*[ \t]*\n[ \t]*(?:{_WORD}+[ \t]*\n[ \t]*)?"
_NAME = r"(?:[\w.]+|<[^>\n]+>)"
FORMS = rf"""
        (?:>\ )?File\ "(?P<path>[^"\n]+(?:\n[^"\n]+){{0,3}})",\s*line\s+(?P<line>\d+(?:\n\d+)?)
        (?:,?\s*in\s+(?P<function>[^\n]+?))?[ \t]*$
      | (?:File\ )?(?P<rich>(?:[A-Za-z]:)?(?:{_CUT})?{_FILE})
        :(?P<rich_line>\d+)[,:]?{_BREAK}in{_BREAK}(?P<rich_function>{_NAME})(?:\([^\n]*)?[ \t]*$
      | in\ (?P<bare_function>{_NAME}):(?P<bare_line>\d+)[ \t]*$
      | (?P<cell>(?:/|~/|[A-Za-z]:[\\/])[^\n:"]*\.p(?:yx?|xi)|{_FILE}|<ipython-input-[^>\n]+>)
        \ in\ (?P<cell_function>{_NAME})(?:[ (][^\n]*)?$
      | (?:File\ |Input\ )?(?P<notebook>Cell\ In\s?\[\d+\]|In\ \[\d+\])(?:,\ line\ (?P<notebook_line>\d+)
        (?:,\ in\ (?P<notebook_function>{_NAME})(?:\([^\n]*)?)?|,\ in\ <[^\n]+)[ \t]*$
      | (?P<test>{_WORD}*[\w-]\.py):(?P<test_line>\d+):\ ?(?P<test_class>[A-Za-z_]\w*)?[ \t]*$
"""
# A line number of more digits is none: Python itself refuses to read it.
_LONGEST_NUMBER = 10
# Terminals narrower than this are not in use.
_NARROWEST = 30
_LONGEST_NAME = 200
# So far above a line the `def` stands that pytest shows with it.
_NEAR = 4000
_DEF = r"(?m)^[ \t>]*(?:async )?def (\w+)\("


def frame_of(part: re.Match[str], text: str) -> Frame | None:
    """Return the frame that a part of a traceback is, if it is one."""
    if part["path"]:
        function = (part["function"] or "") + _rest_of_name(part.end(), text)
        return _frame(part, part["path"], part["line"], function)
    if part["test"]:
        return _frame(part, part["test"], part["test_line"], _shown(part, text))
    for form in ("rich", "notebook"):
        if part[form]:
            return _frame(part, part[form], part[f"{form}_line"], part[f"{form}_function"])
    if part["bare_function"]:
        return _frame(part, "", part["bare_line"], part["bare_function"])
    return _frame(part, part["cell"], "", part["cell_function"]) if part["cell"] else None


def _frame(part: re.Match[str], path: str, line: str | None, function: str | None) -> Frame:
    digits = (line or "").replace("\n", "")
    number = int(digits) if digits and len(digits) < _LONGEST_NUMBER else None
    if "\n" in path:
        path = "".join(piece.strip(" \t") for piece in path.split("\n"))
    return Frame(path, number, function or "", part.start(), part.end())


def _shown(part: re.Match[str], text: str) -> str:
    """Return the function of which pytest shows the source above a frame."""
    names = [found[1] for found in re.finditer(_DEF, text[max(0, part.start() - _NEAR) : part.start()])]
    return names[-1] if names else ""


def _rest_of_name(end: int, text: str) -> str:
    """Return the rest of a function's name that a terminal's width cut off; a source line would be indented."""
    if text[end + 1 : end + 2].isspace():
        return ""
    line, _, _ = text[end + 1 : end + 1 + _LONGEST_NAME].partition("\n")
    is_full = end - text.rfind("\n", 0, end) > _NARROWEST
    return line if is_full and line.replace("_", "x").isalnum() else ""


# The same code published under two package names.
_RENAMED = (("lightning_fabric/", "lightning/fabric/"), ("pytorch_lightning/", "lightning/pytorch/"))


def site_of(path: str) -> str:
    """Return a file's path as its package knows it, so that every spelling of one raise site is equal.

    `src/lightning/fabric/strategies/ddp.py`, `…/site-packages/lightning/fabric/strategies/ddp.py` and
    `…\\lightning_fabric\\strategies\\ddp.py` all give `lightning/fabric/strategies/ddp.py`.
    """
    path = path.replace("\\", "/")
    path = re.split(r"(?:^|/)(?:site-packages|dist-packages|src)/", path)[-1]
    path = re.sub(r"^.*/lib/python\d(?:\.\d+)?/", "", path)
    for old, new in _RENAMED:
        if path.startswith(old):
            return new + path[len(old) :]
    return path
