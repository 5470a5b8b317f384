"""Every exception that a paste shows: class, message, frames, how they are chained, which process said it.

All offsets are code points of the cleaned text (`Paste.text`).
"""

from __future__ import annotations

import re
from bisect import bisect_right

from whyraise.paste import Paste, Span
from whyraise.shape import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    Relation = Literal["raised", "cause", "context", "group", "worker", "remote"]


class Frame(NamedTuple):
    """One line of a traceback: the file as printed, the line number where given, and the function."""

    path: str
    line: int | None
    function: str
    start: int
    end: int


class ExceptionBlock(NamedTuple):
    """One exception as the paste shows it.

    `class_name` is the name as printed, dotted where it was, empty where the paste shows none. `header` is where the
    class name stands (empty span where there is none), `span` where the message stands; `message` is its text with
    hard wraps undone. `frames` run as raised: outermost first, the raising one last. `relation` says how this
    exception stands to the one that was raised last: that one itself is `raised`; `cause` and `context` led to it,
    `group` is a member of it, `worker` and `remote` were re-raised by it from another process. `wrapper` is true
    where the class only reports that something else failed (elastic summary, ProcessRaisedException, pip's footer).
    `echoes` are the source lines the traceback quotes. `cut_head` and `cut_tail` say that the paste ends inside the
    block on that side.
    """

    class_name: str
    message: str
    header: Span
    span: Span
    frames: tuple[Frame, ...]
    relation: Relation
    rank: int | None
    process: str | None
    wrapper: bool
    echoes: tuple[Span, ...]
    cut_head: bool
    cut_tail: bool


class Reading(NamedTuple):
    """What was read of a paste: the exceptions in the order they stand, and frames that belong to none."""

    blocks: tuple[ExceptionBlock, ...]
    loose_frames: tuple[Frame, ...]


def site_of(path: str) -> str:
    """Return a file's path as its package knows it, so that every spelling of one raise site is equal.

    `src/lightning/fabric/strategies/ddp.py`, `…/site-packages/lightning/fabric/strategies/ddp.py` and
    `…\\lightning_fabric\\strategies\\ddp.py` all give `lightning/fabric/strategies/ddp.py`.
    """
    path = path.replace("\\", "/")
    path = re.split(r"(?:^|/)(?:site-packages|dist-packages|src)/", path)[-1]
    for old, new in _RENAMED:
        if path.startswith(old):
            return new + path[len(old) :]
    return path


# The same code published under two package names.
_RENAMED = (("lightning_fabric/", "lightning/fabric/"), ("pytorch_lightning/", "lightning/pytorch/"))

# What a traceback is made of, found in one pass. An exception's line is known by its class's name, whose ending is a
# convention (PEP 8), or, whatever the name, by standing where a traceback ends.
# A path may be cut by the width of a terminal; `rich` and notebooks, old and new, print frames in forms of their own.
_PART = re.compile(
    r"""^[ \t]*(?:
        (?P<start>Traceback\ \(most\ recent\ call\ last\):)
      | File\ "(?P<path>[^"\n]+(?:\n[^"\n]+){0,3})",\s*line\s+(?P<line>\d+(?:\n\d+)?)
        (?:,\s*in\s+(?P<function>[^\n]+?))?[ \t]*$
      | (?:File\ )?(?P<rich>(?:[A-Za-z]:)?[^\s:"'<>|]*[\w-]\.pyx?):(?P<rich_line>\d+),?\ in\ (?P<rich_function>[\w<>.]+)
        (?:\([^\n]*)?[ \t]*$
      | (?P<cell>(?:/|~/|[A-Za-z]:[\\/])[^\n:"]*\.pyx?)\ in\ (?P<cell_function>[\w<>.]+)(?:\([^\n]*)?[ \t]*$
      | (?P<cause>The\ above\ exception\ was\ the\ direct\ cause\ of\ the\ following\ exception:)
      | (?P<context>During\ handling\ of\ the\ above\ exception,\ another\ exception\ occurred:)
      | (?P<open>_?[\[(`*"']{1,4})?
        (?P<class>(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Failure|Fault))(?::[ ]?|$)
    )""",
    re.M | re.X,
)
_ANY_CLASS = r"(?m)(?P<any>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?|$)"


def parse(paste: Paste) -> Reading:
    """Read every exception in a paste."""
    reader = _Reader(paste)
    for part in _PART.finditer(paste.text):
        reader.take(part)
    reader.end_traceback(len(paste.text))
    return Reading(tuple(reader.blocks), tuple(reader.frames))


class _Reader:
    """Puts the parts of tracebacks together as they come; `frames` are those that no exception's line has ended yet."""

    def __init__(self, paste: Paste) -> None:
        self._text = paste.text
        self._ranks = [stream.rank for stream in paste.streams]
        self._starts = [stream.start for stream in paste.streams]
        self.frames: list[Frame] = []
        self.blocks: list[ExceptionBlock] = []

    def take(self, part: re.Match[str]) -> None:
        """Take the next part of the text."""
        if part["path"] or part["rich"] or part["cell"]:
            self.frames.append(self._frame(part))
            return
        if part["class"]:
            if not self._inside_last(part.start("class")):
                self._add(part["class"], part.start("class"), part.end(), opened=part["open"] or "")
            return
        self.end_traceback(part.start())
        if self.blocks and not part["start"]:
            relation: Relation = "cause" if part["cause"] else "context"
            self.blocks[-1] = self.blocks[-1]._replace(relation=relation)

    def _frame(self, part: re.Match[str]) -> Frame:
        path = (part["path"] or part["rich"] or part["cell"]).replace("\n", "")
        line = (part["line"] or part["rich_line"] or "").replace("\n", "")
        function = part["function"] or part["rich_function"] or part["cell_function"] or ""
        number = int(line) if line and len(line) < _LONGEST_NUMBER else None
        rest = self._rest_of_name(part.end()) if part["path"] else ""
        return Frame(path, number, function + rest, part.start(), part.end())

    def _rest_of_name(self, end: int) -> str:
        """Return the rest of a function's name that a terminal's width cut off; a source line would be indented."""
        line, _, _ = self._text[end + 1 : end + 1 + _LONGEST_NAME].partition("\n")
        is_full = end - self._text.rfind("\n", 0, end) > _NARROWEST
        return line if is_full and line.replace("_", "x").isalnum() else ""

    def end_traceback(self, end: int) -> None:
        """Read the line at which a traceback ends before `end`, whatever its class is called."""
        if self.frames:
            start = _next_unindented(self._text, self.frames[-1].end, end)
            header = re.compile(_ANY_CLASS).match(self._text, start, end) if start < end else None
            if header:
                self._add(header["any"], header.start(), header.end())

    def _inside_last(self, position: int) -> bool:
        """Say whether a class's name stands in a message that was read already and has not ended."""
        return bool(self.blocks) and position < self.blocks[-1].span.end

    def _is_embedded(self, start: int) -> bool:
        """Say whether an exception stands in the message of one that reports another process's failure."""
        last = self.blocks[-1] if self.blocks else None
        return bool(last and last.wrapper and _EMBEDDED in self._text[last.span.start : start])

    def _add(self, class_name: str, start: int, message_start: int, *, opened: str = "") -> None:
        end = _quoted_end(self._text, message_start, opened) if opened else _message_end(self._text, message_start)
        block = ExceptionBlock(
            class_name=class_name,
            message=self._text[message_start:end],
            header=Span(start, start + len(class_name)),
            span=Span(message_start, end),
            frames=tuple(self.frames),
            relation="worker" if self._is_embedded(start) else "raised",
            rank=self._ranks[bisect_right(self._starts, start) - 1] if self._ranks else None,
            process=None,
            wrapper=class_name.rpartition(".")[2] in WRAPPERS,
            echoes=tuple(_echo(self._text, frame) for frame in self.frames),
            cut_head=False,
            cut_tail=False,
        )
        self.blocks.append(block)
        self.frames = []


# Classes that only report that another process failed, and what to paste instead of them.
WRAPPERS = {
    "ChildFailedError": "This is torchrun's summary: it only says which rank failed. Paste what that rank printed, from"
    " its `Traceback (most recent call last):` to its last line.",
    "ProcessRaisedException": "This only says that a spawned process failed. Paste the part that follows `terminated"
    " with the following error:`.",
    "ProcessExitedException": "This only says that a spawned process ended. Paste what that process printed before.",
}
_EMBEDDED = "terminated with the following error"
# Terminals narrower than this are not in use.
_NARROWEST = 30
_LONGEST_NAME = 200
# A line number of more digits is none: Python itself refuses to read it.
_LONGEST_NUMBER = 10


def _next_unindented(text: str, start: int, end: int) -> int:
    """Return where the next line begins that is not blank and not indented, or the end."""
    while start < end:
        start = text.find("\n", start, end) + 1 or end
        if start < end and not text[start].isspace():
            return start
    return end


def _echo(text: str, frame: Frame) -> Span:
    """Return the source line that a traceback quotes below a frame."""
    start = min(frame.end + 1, len(text))
    end = text.find("\n", start)
    return Span(start, len(text) if end < 0 else end)


def _message_end(text: str, start: int) -> int:
    """A message runs on over following lines until an empty one, another part of a traceback, or other output."""
    if summary := re.compile(_SUMMARY, re.M).match(text, start):
        return summary.end()
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while end < len(text):
        stop = text.find("\n", end + 1)
        stop = len(text) if stop < 0 else stop
        line = text[end + 1 : stop]
        if not line.strip() or _PART.match(text, end + 1) or re.match(_OTHER_OUTPUT, line):
            break
        end = stop
    return end


def _quoted_end(text: str, start: int, opened: str) -> int:
    """A message that a person put in quotes or brackets ends where those close, with its line."""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end].rstrip()
    return start + len(line.rstrip(opened.translate(_CLOSING)))


_CLOSING = str.maketrans("[(", "])")
# torchrun's summary stands between two rules.
_SUMMARY = r"\s*={20,}\n(?:[^\n]*\n){1,400}?={20,}$"
# What follows a message and is none of it: fences, C++ stacks, progress bars, rules, prompts, and lines of a log.
_OTHER_OUTPUT = (
    r"\s*```|frame #\d|Exception raised from|<omitting|\s*\[end of output\]|\^C|.{0,200}\d%\||[=-]{20}|[$#] |"
    r"\[?\d{4}-\d\d-\d\d[T ]|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b"
)
