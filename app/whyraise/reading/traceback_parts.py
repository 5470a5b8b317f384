"""What tracebacks are made of, and where a text has such parts.

Each alternative of the two expressions ends in an empty group that names it, so that `re.Match.lastgroup` says what was
found. Nearly all that is pasted is made of the plain ones alone; the others, which cost as much to compile as all else
of a lookup, are compiled where a text has marks of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

# The endings of class names are a convention (PEP 8); a class of any other name is read where a traceback ends.
ENDING = r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Failure|Fault|ExceptionGroup|Failed|Timeout)"
_CLASS = rf"(?:[A-Za-z_]\w*\.)*\w*{ENDING}"
# `class` may stand in quotes or brackets, and name the class of a task that failed elsewhere; `Error:   x`, with
# several blanks, is a labelled field; a word in small letters alone on its line is the end of a torn one. A path may be
# cut by the width of a terminal. Notebooks start with the class.
_PLAIN = re.compile(
    rf"""[ \t]*(?:(?:>\ )?File\ "(?P<path>[^"\n]+(?:\n[^"\n]+){{0,3}})",\s*line\s+(?P<line>\d+(?:\n\d+)?)
        (?:,?\s*in\s+(?P<function>[^\n]+?))?[ \t]*$(?P<frame>)
      | (?P<words>Original\ |Exception\ Group\ |traceback\ +:\ |[A-Za-z_][\w.]*\ {{3,}})?
        Traceback\ \(most\ recent\ call\ last\):?(?P<start>)
      | The\ above\ exception\ was\ (?P<cause>)
      | During\ handling\ of\ the\ above\ exc(?P<context>)
      | (?P<open>_?[\[(`*"']{{1,4}})?(?!(?:Exception|Error|Warning):\ \ +\S|[a-z]\w*$)
        (?P<name>{_CLASS})(?:\((?P<inner>[\w.]+)\))?(?::[ ]?|$)(?P<class>)
    )""",
    re.M | re.X,
)
_WORD = r"""[^\s:"'<>|]"""
_BREAK = r"(?:\ |[ \t]*\n[ \t]*)"
_FILE = rf"{_WORD}*[\w-]\.p(?:yx?|xi)"
_CUT = rf"[/\\~]{_WORD}*[ \t]*\n[ \t]*(?:{_WORD}+[ \t]*\n[ \t]*)?"
_NAME = r"(?:[\w.]+|<[^>\n]+>)"
_PIP = r"subprocess-exited-with|metadata-generation-failed|legacy-install|Failed\ building|Could\ not\ build"
# `rich`: rich, pytest's short form, notebooks of today; `bare`: rich, where there is no source. `cell`, `notebook`:
# notebooks, old and new. `test`: pytest's long form, which names what was raised there. `member`: of an exception
# group. `thread`: of faulthandler. `debugged`: what an editor's debugger shows. `thrown`, `native`: C++ and its logs.
_OTHERS = rf"""[ \t]*(?:
        (?:File\ )?(?P<rich_path>(?:[A-Za-z]:)?(?:{_CUT})?{_FILE}):(?P<rich_line>\d+)[,:]?{_BREAK}in{_BREAK}
        (?P<rich_function>{_NAME})(?:\([^\n]*)?[ \t]*$(?P<rich>)
      | in\ (?P<bare_function>{_NAME}):(?P<bare_line>\d+)[ \t]*$(?P<bare>)
      | (?P<cell_path>(?:/|~/|[A-Za-z]:[\\/])[^\n:"]*\.p(?:yx?|xi)|{_FILE}|<ipython-input-[^>\n]+>)
        \ in\ (?P<cell_function>{_NAME})(?:[ (][^\n]*)?$(?P<cell>)
      | (?:File\ |Input\ )?(?P<notebook_path>Cell\ In\s?\[\d+\]|In\ \[\d+\])(?:,\ line\ (?P<notebook_line>\d+)
        (?:,\ in\ (?P<notebook_function>{_NAME})(?:\([^\n]*)?)?|,\ in\ <[^\n]+)[ \t]*$(?P<notebook>)
      | (?P<test_path>{_WORD}*[\w-]\.py):(?P<test_line>\d+):\ ?(?P<raised>[A-Za-z_]\w*)?[ \t]*$(?P<test>)
      | (?P<warned_path>(?:[A-Za-z]:)?[^\s:"'<>|][^:"\n]*\.pyx?|<[^>\n]+>):(?P<warned_line>\d+):
        \ (?P<warning>(?:[A-Za-z_]\w*\.)*\w*Warning):\ ?(?P<warned>)
      | \+(?:-\+)?-{{4,}}(?:\ (?P<number>\d+)\ -{{4,}})?(?P<member>)
      | (?:Current\ thread|Thread)\ 0x[0-9a-f]+\ [^\n]*\(most\ recent\ call\ first\):(?P<thread>)
      | Fatal\ Python\ error:\ (?P<fatal>)
      | Exception\ has\ occurred:\ (?P<debugged_name>[\w.]+)[^\n]*\n(?P<debugged>)
      | terminate\ called\ after\ throwing\ an\ instance\ of\ '(?P<thrown_name>[\w:]+)'\s*\n\s*what\(\):\ +(?P<thrown>)
      | \[?[EF]\d{{3,8}}\ [\d:.]+\ +(?:\d+\ )?(?P<native_path>[\w/.]+\.(?:cpp|cc|cu|h)):(?P<native_line>\d+)\][ ]
        (?:(?=\[Rank\ (?P<rank>\d{{1,6}})\]))?(?P<native>)
      | (?:error|ERROR):\ (?={_PIP})(?P<pip>)
    )"""
# What a line holds that is a plain part, and what it holds that is another. None begins with a small letter, which is
# what makes the pass over a text fast (`re` skips to their first characters, unless they stand in a group); those that
# do are looked for where a text has them.
_PLAIN_MARKS = (
    "Traceback (most", 'File "', "The above exc", "During hand", "Error", "Exception", "Warning", "Interrupt", "Exit",
    "Iteration", "Failure", "Fault", "Failed", "Timeout",
)  # fmt: skip
_OTHER_MARKS = (
    r"\.p(?:yx?|xi):\d", r"\.p(?:yx?|xi) in ", r"\+-{4}", r"\+-\+", "Current thr", "Thread 0x", "Fatal Pyt",
    "Exception has occ", r"In ?\[", r"\.(?:cpp|cc|cu|h):\d",
)  # fmt: skip
_RARE_MARKS = {"terminate called": "terminate called", "rror: ": "rror: ", "\nin ": "in ", "\n in ": "in "}
# A line that may be the cut beginning of the next one's path.
_BEGINNING = r"[ \t]*(?:[A-Za-z]:)?[/\\~][^\s:]{29,}[ \t]*\n"


def parts(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the parts of tracebacks in a stretch of a text that begins and ends with lines; `lastgroup` is the kind."""
    rare = {mark for sign, mark in _RARE_MARKS.items() if sign in text}
    marks = re.compile("|".join([*_OTHER_MARKS, *sorted(rare), *map(re.escape, _PLAIN_MARKS)]))
    at = line = seen = start
    tried = -1
    for mark in marks.finditer(text, start, end):
        place = mark.start()
        line = text.rfind("\n", seen, place) + 1 or line
        seen = place
        if place < at or line < at:
            continue  # it stands in a part that was read, or in its line
        part = _PLAIN.match(text, line, end) if line != tried else None
        tried = line
        if part is None and mark[0] not in _PLAIN_MARKS:
            part = _others().match(text, _beginning(mark, line, text, at), end)
            at = at if part else max(text.find("\n", mark.end(), end), mark.end())
        if part:
            at = max(part.end(), mark.end())
            yield part


def begins(text: str, position: int) -> bool:
    """Return whether the line that begins at a position is a part of a traceback."""
    if _PLAIN.match(text, position):
        return True
    line_end = text.find("\n", position)
    line = text[position : line_end if line_end >= 0 else len(text)]
    return bool(re.search("|".join(_OTHER_MARKS), line)) and bool(_others().match(text, position))


@cache
def _others() -> re.Pattern[str]:
    return re.compile(_OTHERS, re.M | re.X)


def _beginning(mark: re.Match[str], line: int, text: str, least: int) -> int:
    """Return where the line of a mark begins, or the one before it, where that begins the path of this one."""
    if mark[0].startswith(".p") and line > least:
        before = text.rfind("\n", 0, line - 1) + 1
        if re.match(_BEGINNING, text[before:line]):
            return before
    return max(line, least)
