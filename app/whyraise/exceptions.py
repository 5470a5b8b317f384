"""Every exception that a paste shows: class, message, frames, how they are chained, which process said it.

All offsets are code points of the cleaned text (`Paste.text`).
"""

import re
from typing import Literal, NamedTuple

from whyraise.paste import Paste, Span

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

_FRAME = re.compile(r'^[ \t]*File "([^"\n]+)", line (\d+)(?:, in ([^\n]+?))?[ \t]*$', re.M)
_HEADER = re.compile(
    r"^[ \t]*((?:[A-Za-z_]\w*\.)*[A-Z_a-z]\w*"
    r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Failure|Fault))(?:: ?(.*))?$",
    re.M,
)

_UNINDENTED = re.compile(r"^(?=\S)", re.M)
_ANY_HEADER = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?(.*))?$", re.M)


def parse(paste: Paste) -> Reading:
    """Read every exception in a paste."""
    text = paste.text
    frames = [Frame(m[1], int(m[2]), m[3] or "", m.start(), m.end()) for m in _FRAME.finditer(text)]
    blocks: list[ExceptionBlock] = []
    used = 0
    for header in _headers(text, frames):
        mine = tuple(frame for frame in frames[used:] if frame.end <= header.start())
        used += len(mine)
        end = _message_end(text, header.end())
        start = header.start(2) if header[2] is not None else header.end(1)
        blocks.append(
            ExceptionBlock(
                class_name=header[1],
                message=text[start:end],
                header=Span(header.start(1), header.end(1)),
                span=Span(start, end),
                frames=mine,
                relation="raised",
                rank=None,
                process=None,
                wrapper=False,
                echoes=tuple(_echo(text, frame) for frame in mine),
                cut_head=False,
                cut_tail=False,
            )
        )
    return Reading(tuple(blocks), tuple(frames[used:]))


def _headers(text: str, frames: list[Frame]) -> list[re.Match[str]]:
    """Return the lines that name an exception: by the name's ending, or whatever stands where a traceback ends."""
    found = {header.start(1): header for header in _HEADER.finditer(text)}
    for frame in frames:
        line = _UNINDENTED.search(text, frame.end)
        header = _ANY_HEADER.match(text, line.start()) if line else None
        if header and not _FRAME.match(text, header.start()):
            found.setdefault(header.start(1), header)
    return [found[start] for start in sorted(found)]


def _echo(text: str, frame: Frame) -> Span:
    end = text.find("\n", frame.end + 1)
    return Span(min(frame.end + 1, len(text)), len(text) if end < 0 else end)


def _message_end(text: str, line_end: int) -> int:
    """A message runs on over following lines until an empty one, a traceback or a new header."""
    end = line_end
    while end < len(text):
        stop = text.find("\n", end + 1)
        stop = len(text) if stop < 0 else stop
        line = text[end + 1 : stop]
        if not line.strip() or line.startswith(("Traceback", "  File ")) or _HEADER.match(line):
            break
        end = stop
    return end
