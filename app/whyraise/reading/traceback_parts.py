"""Finds the parts of tracebacks in a text: frames, lines with a class, and the lines between exceptions.

Each alternative of the two expressions ends in an empty group that names its kind, so that `re.Match.lastgroup` is the
kind of the part. Most pastes need only the common parts, and a single line only a class. The rest is compiled when a
text has marks of it, because that costs as much as all the rest of a lookup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

# The suffixes of class names are a convention (PEP 8); a class with another name is read from the end of a traceback.
CLASS_ENDING = r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Failure|Fault|ExceptionGroup|Failed|Timeout)"
_CLASS = rf"(?:[A-Za-z_]\w*\.)*\w*{CLASS_ENDING}"
# `class`: the class may be in quotes or brackets, and may name the class of a task that failed elsewhere. `Error:   x`
# with several spaces is a labelled field, and a lower-case word alone on its line is the rest of a wrapped line: both
# are excluded. `path`: a terminal may have wrapped it. `start`: notebooks print the class at the start of this line.
_STRUCTURE = r"""(?:>\ )?File\ "(?P<path>[^"\n]+(?:\n[^"\n]+){0,3})",\s*line\s+(?P<line>\d+(?:\n\d+)?)
        (?:,?\s*in\s+(?P<function>[^\n]+?))?[ \t]*$(?P<frame>)
      | (?P<words>Original\ |Exception\ Group\ |traceback\ +:\ |[A-Za-z_][\w.]*\ {3,})?
        Traceback\ \(most\ recent\ call\ last\):?(?P<start>)
      | The\ above\ exception\ was\ (?P<cause>)
      | During\ handling\ of\ the\ above\ exc(?P<context>)
      | """
_CLASS_LINE = rf"""(?P<open>_?[\[(`*"']{{1,4}})?(?!(?:Exception|Error|Warning):\ \ +\S|[a-z]\w*$)
        (?P<name>{_CLASS})(?:\((?P<inner>[\w.]+)\))?(?::[ ]?|$)(?P<class>)"""
_WORD = r"""[^\s:"'<>|]"""
_WRAP = r"(?:\ |[ \t]*\n[ \t]*)"
_FILE = rf"{_WORD}*[\w-]\.p(?:yx?|xi)"
_WRAPPED_START = rf"[/\\~]{_WORD}*[ \t]*\n[ \t]*(?:{_WORD}+[ \t]*\n[ \t]*)?"
_NAME = r"(?:[\w.]+|<[^>\n]+>)"
_PIP = r"subprocess-exited-with|metadata-generation-failed|legacy-install|Failed\ building|Could\ not\ build"
# `rich`: a frame of rich, of pytest's short form, or of a current notebook; `bare`: a frame of rich without source.
# `cell`, `notebook`: a frame of an old or a current notebook. `test`: a frame of pytest's long form, with the class
# that was raised there. `member`: a member of an exception group. `thread`: a thread of faulthandler. `debugged`: an
# exception as an editor's debugger shows it. `thrown`, `native`: an exception of C++, and a line of a C++ log.
_OTHER_PARTS = rf"""[ \t]*(?:
        (?:File\ )?(?P<rich_path>(?:[A-Za-z]:)?(?:{_WRAPPED_START})?{_FILE}):(?P<rich_line>\d+)[,:]?{_WRAP}in{_WRAP}
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
# What a line with a common part contains, and what a line with another part contains. No mark in these lists begins
# with a lower-case letter: that makes the search fast (`re` skips to the marks' first characters, unless they are in a
# group). The rare marks do, and are searched for only if the text contains their sign.
_STRUCTURE_MARKS = ('File "', "Traceback (most", "The above exc", "During hand")
_COMMON_MARKS = (
    *_STRUCTURE_MARKS, "Error", "Exception", "Warning", "Interrupt", "Exit",
    "Iteration", "Failure", "Fault", "Failed", "Timeout",
)  # fmt: skip
_OTHER_MARKS = (
    r"\.p(?:yx?|xi):\d", r"\.p(?:yx?|xi) in ", r"\+-{4}", r"\+-\+", "Current thr", "Thread 0x", "Fatal Pyt",
    "Exception has occ", r"In ?\[", r"\.(?:cpp|cc|cu|h):\d",
)  # fmt: skip
_RARE_MARKS = {"terminate called": "terminate called", "rror: ": "rror: ", "\nin ": "in ", "\n in ": "in "}
# A line that may be the start of a path that a terminal wrapped into the next line.
_PATH_START = r"[ \t]*(?:[A-Za-z]:)?[/\\~][^\s:]{29,}[ \t]*\n"


def find_parts(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the parts of tracebacks between two offsets, which begin and end lines; `lastgroup` is the part's kind."""
    rare_marks = {mark for sign, mark in _RARE_MARKS.items() if text.find(sign, max(start - 1, 0), end) >= 0}
    common = _common_parts(text, start, end)
    marks = re.compile("|".join([*_OTHER_MARKS, *sorted(rare_marks), *map(re.escape, _COMMON_MARKS)]))
    part_end = line = last_mark = start
    tried_line = -1
    for mark in marks.finditer(text, start, end):
        line = text.rfind("\n", last_mark, mark.start()) + 1 or line
        last_mark = mark.start()
        if mark.start() < part_end or line < part_end:
            continue  # the mark is inside the last part, or on the same line
        part = common.match(text, line, end) if line != tried_line else None
        tried_line = line
        if part is None and mark[0] not in _COMMON_MARKS:
            part = _other_parts().match(text, _part_start(mark, line, text, part_end), end)
            part_end = part_end if part else max(text.find("\n", mark.end(), end), mark.end())
        if part:
            part_end = max(part.end(), mark.end())
            yield part


def is_part(text: str, position: int) -> bool:
    """Return whether the line that begins at a position is a part of a traceback."""
    line_end = text.find("\n", position)
    line_end = line_end if line_end >= 0 else len(text)
    if _common_parts(text, position, line_end).match(text, position):
        return True
    has_mark = re.search("|".join(_OTHER_MARKS), text[position:line_end])
    return bool(has_mark and _other_parts().match(text, position))


def _common_parts(text: str, start: int, end: int) -> re.Pattern[str]:
    """Return the expression for the common parts that a text can have between two offsets."""
    return _compiled(_STRUCTURE if any(text.find(mark, start, end) >= 0 for mark in _STRUCTURE_MARKS) else "")


@cache
def _compiled(structure: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t]*(?:{structure}{_CLASS_LINE})", re.M | re.X)


@cache
def _other_parts() -> re.Pattern[str]:
    return re.compile(_OTHER_PARTS, re.M | re.X)


def _part_start(mark: re.Match[str], line: int, text: str, min_start: int) -> int:
    """Return the offset of the mark's line, or of the line above if the path begins there; not before `min_start`."""
    if mark[0].startswith(".p") and line > min_start:
        before = text.rfind("\n", 0, line - 1) + 1
        if re.match(_PATH_START, text[before:line]):
            return before
    return max(line, min_start)
