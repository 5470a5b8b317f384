"""Reads the exceptions of a paste: class, message, frames, how they are chained, and which process raised them.

All offsets are code points of the cleaned text (`Paste.text`).
"""

from __future__ import annotations

import re

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading import messages, wrappers
from whyraise.reading.frames import Frame, read_frame
from whyraise.reading.messages import Ends, is_repeated
from whyraise.reading.paste import Paste, Span, Stream
from whyraise.reading.source_lines import ends_in_raise, find_source_lines
from whyraise.reading.traceback_parts import find_parts

if TYPE_CHECKING:
    from typing import Literal

    Relation = Literal["raised", "cause", "context", "group", "worker", "remote"]


class ExceptionBlock(NamedTuple):
    """One exception as read from the paste.

    `class_name` is the name as printed, with its module if that is printed, or empty if the paste shows none.
    `header` is the span of the class name (empty if there is none), `span` the span of the message; `message` is the
    text of the message with hard wraps undone. `frames` are ordered from the outermost to the one that raised.
    `relation` is how this exception relates to the one that was raised last, which is `raised` itself: `cause` and
    `context` led to it, `group` is a member of it, `worker` and `remote` were re-raised by it from another process.
    `rank` and `process` name the process that printed it. `wrapper` is true if the exception only reports that
    something else failed (elastic summary, ProcessRaisedException, pip's footer). `source_lines` are the source lines
    that the traceback quotes; `by_statement` is true if the last frame's line is a `raise` or `assert`.
    `truncated_start` is true if the paste begins inside the exception's traceback, `truncated_end` if the paste ends
    in its message. `ends` are all offsets where the message may end, for what follows it may belong to it or not.
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
    source_lines: tuple[Span, ...]
    by_statement: bool
    truncated_start: bool
    truncated_end: bool
    ends: tuple[int, ...] = ()


class Reading(NamedTuple):
    """The exceptions of a paste in the order of the text, and the frames that belong to no exception."""

    blocks: tuple[ExceptionBlock, ...]
    loose_frames: tuple[Frame, ...]


_ANY_CLASS = r"(?m)(?P<any>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?|$)"


def parse(paste: Paste) -> Reading:
    """Read every exception of a paste; if there is no other, read those that are mentioned within lines."""
    reader = _Reader(paste.text)
    for stream in paste.streams:
        reader.start_stream(stream)
        for part in find_parts(paste.text, stream.start, stream.end):
            reader.read_part(part)
        reader.end_traceback(stream.end)
        reader.end_stream()
    if not reader.blocks:
        reader.read_mentions()
    return Reading(tuple(reader.blocks), tuple(reader.loose_frames))


class _Reader:
    """Collects frames from the parts of tracebacks until a part ends an exception; `frames` wait for that part."""

    def __init__(self, text: str) -> None:
        self._text, self._stream = text, Stream(0, len(text), None, "")
        self._relation: Relation = "raised"  # of the next exception
        self._has_title = False  # the current traceback began with "Traceback (most recent call last)"
        self._innermost_first = False
        self._message_end = 0  # the offset up to which messages were read
        self.frames: list[Frame] = []
        self.loose_frames: list[Frame] = []
        self.blocks: list[ExceptionBlock] = []

    def start_stream(self, stream: Stream) -> None:
        """Start to read the lines of another process."""
        self._stream, self._relation, self._has_title, self._innermost_first = stream, "raised", False, False

    def end_stream(self) -> None:
        """Keep the frames that belong to no exception.

        A debugger prints the message above the frames, and the innermost frame first: such frames are an exception.
        """
        first, last = (self.frames[0], self.frames[-1]) if self.frames else (None, None)
        if first and last and first.function != "<module>" and last.function == "<module>" and not self._has_title:
            end = first.start - 1
            start = self._text.rfind("\n", self._stream.start, max(end, 0)) + 1
            self.frames.reverse()
            self._add("", Span(start, start), Span(start, max(end, start)))
        self.loose_frames += self.frames
        self.frames = []

    def read_part(self, part: re.Match[str]) -> None:
        """Read the next part of a traceback."""
        kind = str(part.lastgroup)
        if kind == "frame":  # most parts are frames of this kind
            self.frames.append(read_frame(part, self._text))
        elif kind in _OTHER_FRAMES:
            self._read_frame(read_frame(part, self._text), part["raised"] if kind == "test" else None)
        elif kind in ("class", "warned", "thrown", "debugged"):
            self._read_class(part, kind)
        elif kind in ("fatal", "native", "pip"):
            self._read_error_line(part, kind)
        else:
            self._read_separator(part, kind)

    def _read_frame(self, frame: Frame, raised: str | None) -> None:
        """Keep a frame for its exception; pytest's last frame follows the exception, and may name its class."""
        if raised and self.blocks and self._text[self.blocks[-1].span.end : frame.start].strip() == "":
            frames = (*self.blocks[-1].frames, frame)
            self.blocks[-1] = self.blocks[-1]._replace(frames=frames)
            return
        self.frames.append(frame)
        if raised and raised.endswith(_CLASS_SUFFIXES):
            start = self._text.rfind(raised, 0, frame.end)
            self._add(raised, Span(start, start + len(raised)), messages.paragraph_above(self._text, frame.start))

    def _read_class(self, part: re.Match[str], kind: str) -> None:
        group = {"class": "name", "warned": "warning"}.get(kind, f"{kind}_name")
        name, start, end = part[group], part.start(group), part.end()
        if is_repeated(name) or (start < self._message_end and not (self._has_title and self.frames)):
            return  # two processes wrote the name, or it is inside a message that was already read
        opened = part["open"] if kind == "class" else None
        ends = self._ends_of_message(end)
        if opened:
            ends = Ends(messages.quoted_end(self._text, end, opened), ())
        elif kind == "warned":
            self.frames = [read_frame(part, self._text)]
            ends = Ends(messages.warning_end(self._text, end, ends.likely), ())
        self._add(name, Span(start, start + len(name)), Span(end, ends.likely), ends.possible)
        self._innermost_first = kind == "debugged"
        if kind == "class" and part["inner"]:
            self._relation = "remote"

    def _ends_of_message(self, start: int) -> Ends:
        return messages.message_ends(self._text, start, self._stream.end)

    def _read_error_line(self, part: re.Match[str], kind: str) -> None:
        """Read a line that reports an error without a class: a fatal error of the interpreter, C++, or pip."""
        self.end_traceback(part.start())
        start, rank = part.end(), self._stream.rank
        if kind == "native":
            self.frames = [read_frame(part, self._text)]
            rank = int(part["rank"]) if part["rank"] else rank
        self._add("", Span(start, start), Span(start, messages.line_end(self._text, start)))
        self.blocks[-1] = self.blocks[-1]._replace(wrapper=kind == "pip", rank=rank)

    def _read_separator(self, part: re.Match[str], kind: str) -> None:
        """Read a line between exceptions, which tells how the next one relates to the last."""
        self.end_traceback(part.start())
        if kind == "member":
            self._relation = "group" if part["number"] else "raised"
        elif kind == "thread":
            self._innermost_first = True
        elif kind == "start":
            self._has_title = True
            if part["words"] == "Original ":
                self._relation = "worker"
        elif self.blocks:
            relation: Relation = "cause" if kind == "cause" else "context"
            self.blocks[-1] = self.blocks[-1]._replace(relation=relation)

    def end_traceback(self, end: int) -> None:
        """Read the line that ends a traceback before `end`, for classes whose names have no usual suffix."""
        if self._innermost_first and self.blocks and not self.blocks[-1].frames:
            self.blocks[-1] = self.blocks[-1]._replace(frames=tuple(reversed(self.frames)))
            self.frames, self._innermost_first = [], False
        elif self.frames:
            start = messages.next_unindented(self._text, self.frames[-1].end, end)
            header = re.compile(_ANY_CLASS).match(self._text, start, end) if start < end else None
            if header:
                ends = self._ends_of_message(header.end())
                message = Span(header.end(), ends.likely)
                self._add(header["any"], Span(*header.span("any")), message, ends.possible)

    def read_mentions(self) -> None:
        """Read the exceptions that are only mentioned within lines."""
        from whyraise.reading.mentions import find_mentions  # noqa: PLC0415  # needed if there is no traceback

        for mention in find_mentions(self._text, self._stream.end):
            self._add(*mention)

    def _add(self, class_name: str, header: Span, span: Span, ends: tuple[int, ...] = ()) -> None:
        message = self._text[slice(*span)]
        stream, is_embedded = self._stream, self._is_embedded(header.start)
        rank = messages.rank_above(self._text, header.start) if header.start < self._message_end else stream.rank
        source_lines = tuple(find_source_lines(self._text, self.frames, header))
        self.blocks.append(
            ExceptionBlock(
                class_name=class_name,
                message=message,
                header=header,
                span=span,
                frames=tuple(self.frames),
                relation="worker" if is_embedded else self._relation,
                rank=rank,
                process=stream.process or None,
                wrapper=bool(wrappers.advice(class_name, message)),
                source_lines=source_lines,
                by_statement=ends_in_raise(self._text, self.frames, source_lines),
                truncated_start=self._starts_inside_traceback(),
                truncated_end=span.end == stream.end,
                ends=ends,
            )
        )
        self._message_end = max(self._message_end, span.end)
        self.frames, self._has_title = [], False
        self._relation = "group" if self._relation == "group" else "raised"

    def _is_embedded(self, start: int) -> bool:
        """Return whether an exception at `start` is part of the report of another process's failure."""
        last = self.blocks[-1] if self.blocks else None
        is_reported = bool(last and last.wrapper and _REPORT_LINE in self._text[last.span.start : start])
        return start < self._message_end or is_reported

    def _starts_inside_traceback(self) -> bool:
        """Return whether the stream starts inside a traceback; syntax errors and warnings have no title line."""
        if not self.frames or self._has_title or not self.frames[0].function:
            return False
        before = self._text[self._stream.start : self.frames[0].start].lstrip("\n")
        return not before.strip() or before[0].isspace()


_OTHER_FRAMES = ("rich", "bare", "cell", "notebook", "test")
# torch.multiprocessing prints this line above the traceback of the process that failed.
_REPORT_LINE = "terminated with the following error"
_CLASS_SUFFIXES = ("Error", "Exception", "Warning", "Exit", "Interrupt", "Failed")
