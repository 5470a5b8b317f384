"""Every exception that a paste shows: class, message, frames, how they are chained, which process said it.

All offsets are code points of the cleaned text (`Paste.text`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading import messages, wrappers
from whyraise.reading.frames import Frame, frame_of
from whyraise.reading.paste import Paste, Span, Stream
from whyraise.reading.traceback_parts import ENDING, parts

if TYPE_CHECKING:
    from typing import Literal

    Relation = Literal["raised", "cause", "context", "group", "worker", "remote"]


class ExceptionBlock(NamedTuple):
    """One exception as the paste shows it.

    `class_name` is the name as printed, dotted where it was, empty where the paste shows none. `header` is where the
    class name stands (empty span where there is none), `span` where the message stands; `message` is its text with
    hard wraps undone. `frames` run as raised: outermost first, the raising one last. `relation` says how this
    exception stands to the one that was raised last: that one itself is `raised`; `cause` and `context` led to it,
    `group` is a member of it, `worker` and `remote` were re-raised by it from another process. `rank` and `process`
    name who said it. `wrapper` is true where it only reports that something else failed (elastic summary,
    ProcessRaisedException, pip's footer). `echoes` are the source lines the traceback quotes; `by_statement` says that
    the last frame's is a `raise` or `assert`. `cut_head` says that the paste begins inside the exception's traceback,
    `cut_tail` that it ends in its message.
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
    by_statement: bool
    cut_head: bool
    cut_tail: bool


class Reading(NamedTuple):
    """What was read of a paste: the exceptions in the order they stand, and frames that belong to none."""

    blocks: tuple[ExceptionBlock, ...]
    loose_frames: tuple[Frame, ...]


_ANY_CLASS = r"(?m)(?P<any>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?|$)"
# What is read only where there is none of these: an exception that is named within a line of a log or a sentence, or
# printed by `repr()` (a `raise` is source code); the full name of a class that a paste begins with; an exception that
# two processes wrote into one line; an error that a log tells.
_MENTIONED = (
    rf"(?<![\w.])(?<!raise )(?P<class>(?:[A-Za-z_]\w*\.)*[A-Z]\w*{ENDING})"
    r"(?:: (?P<said>[^\n]*)|\((?P<quote>['\"])(?P<quoted>(?:[^\\\n]|\\.)*?)(?P=quote),?\))"
)
_DOTTED = r"\A(?P<class>(?:[A-Za-z_]\w*\.)+[A-Z]\w*): (?P<said>[^\n]*)"
_TWICE = rf"(?P<class>(?:[a-z_]\w{{0,40}}\.){{0,6}}[A-Z]\w{{0,60}}?{ENDING})[.: ]*(?P=class)[.: ]*(?P<said>[^\n]*)"
_LOGGED = r"\b(?P<class>)(?:ERROR|CRITICAL|FATAL)\b[\]:| -]+(?P<said>\S[^\n]*)"
# Which of them a line may hold, and how many such lines are looked at.
_MENTIONS = (
    (_MENTIONED, ENDING),
    (_DOTTED, r"\.[A-Z]\w*: "),
    (_TWICE, ENDING),
    (_LOGGED, r"(?:ERROR|CRITICAL|FATAL)\b"),
)
_MOST_MENTIONED = 100


def parse(paste: Paste) -> Reading:
    """Read every exception in a paste."""
    reader = _Reader(paste.text)
    for stream in paste.streams:
        reader.begin(stream)
        for part in parts(paste.text, stream.start, stream.end):
            reader.take(part)
        reader.end_traceback(stream.end)
        reader.end()
    for form, mark in _MENTIONS:
        if not reader.blocks:
            reader.take_mentioned(form, mark)
    return Reading(tuple(reader.blocks), tuple(reader.loose))


class _Reader:
    """Puts the parts of tracebacks together as they come; `frames` are those that no exception's line has ended yet."""

    def __init__(self, text: str) -> None:
        self._text, self._stream = text, Stream(0, len(text), None, "")
        self._reported: Relation = "raised"  # how exceptions stand to the last one, as its report says
        self._started = self._first_last = False
        self._read = 0  # where the messages end that were read
        self.frames: list[Frame] = []
        self.loose: list[Frame] = []
        self.blocks: list[ExceptionBlock] = []

    def begin(self, stream: Stream) -> None:
        """Begin with what another process wrote."""
        self._stream, self._reported, self._started, self._first_last = stream, "raised", False, False

    def end(self) -> None:
        """Keep the frames that no exception has ended; a debugger puts the message before them, the last call first."""
        first, last = (self.frames[0], self.frames[-1]) if self.frames else (None, None)
        if first and last and first.function != "<module>" and last.function == "<module>" and not self._started:
            end = first.start - 1
            start = self._text.rfind("\n", self._stream.start, max(end, 0)) + 1
            self.frames.reverse()
            self._add("", Span(start, start), Span(start, max(end, start)))
        self.loose += self.frames
        self.frames = []

    def take(self, part: re.Match[str]) -> None:
        """Take the next part of the text."""
        kind = str(part.lastgroup)
        if kind == "frame":  # most parts are these
            self.frames.append(frame_of(part, self._text))
        elif kind in _FRAMES:
            self._take_frame(frame_of(part, self._text), part["raised"] if kind == "test" else None)
        elif kind in ("class", "warned", "thrown", "debugged"):
            self._take_class(part, kind)
        elif kind in ("fatal", "native", "pip"):
            self._take_line(part, kind)
        else:
            self._take_sentence(part, kind)

    def _take_frame(self, frame: Frame, raised: str | None) -> None:
        """Keep a frame for the exception that ends it; pytest's last one comes after it."""
        if raised and self.blocks and self._text[self.blocks[-1].span.end : frame.start].strip() == "":
            frames = (*self.blocks[-1].frames, frame)
            self.blocks[-1] = self.blocks[-1]._replace(frames=frames)
            return
        self.frames.append(frame)
        if raised and raised.endswith(_ENDINGS):
            start = self._text.rfind(raised, 0, frame.end)
            self._add(raised, Span(start, start + len(raised)), messages.above(self._text, frame.start))

    def _take_class(self, part: re.Match[str], kind: str) -> None:
        group = {"class": "name", "warned": "warning"}.get(kind, f"{kind}_name")
        name, start, end = part[group], part.start(group), part.end()
        if _is_twice(name) or (start < self._read and not (self._started and self.frames)):
            return  # two processes wrote it, or it stands in a message that was read already
        opened = part["open"] if kind == "class" else None
        stop = messages.end_of_quoted(self._text, end, opened) if opened else self._end_of_message(end)
        if kind == "warned":
            self.frames = [frame_of(part, self._text)]
            stop = messages.before_echo(self._text, end, stop)
        self._add(name, Span(start, start + len(name)), Span(end, stop))
        self._first_last = kind == "debugged"
        if kind == "class" and part["inner"]:
            self._reported = "remote"

    def _end_of_message(self, start: int) -> int:
        end = self._stream.end - self._text.endswith("\n", 0, self._stream.end)
        return min(messages.end_of(self._text, start), max(end, start))

    def _take_line(self, part: re.Match[str], kind: str) -> None:
        """Take a line that reports an error without a class: from the interpreter's end, from C++, from pip."""
        self.end_traceback(part.start())
        start, rank = part.end(), self._stream.rank
        if kind == "native":
            self.frames = [frame_of(part, self._text)]
            rank = int(part["rank"]) if part["rank"] else rank
        self._add("", Span(start, start), Span(start, messages.end_of_line(self._text, start)))
        self.blocks[-1] = self.blocks[-1]._replace(wrapper=kind == "pip", rank=rank)

    def _take_sentence(self, part: re.Match[str], kind: str) -> None:
        """Take a line between exceptions, which says how the next one stands to the last."""
        self.end_traceback(part.start())
        if kind == "member":
            self._reported = "group" if part["number"] else "raised"
        elif kind == "thread":
            self._first_last = True
        elif kind == "start":
            self._started = True
            if part["words"] == "Original ":
                self._reported = "worker"
        elif self.blocks:
            relation: Relation = "cause" if kind == "cause" else "context"
            self.blocks[-1] = self.blocks[-1]._replace(relation=relation)

    def end_traceback(self, end: int) -> None:
        """Read the line at which a traceback ends before `end`, whatever its class is called."""
        if self._first_last and self.blocks and not self.blocks[-1].frames:
            self.blocks[-1] = self.blocks[-1]._replace(frames=tuple(reversed(self.frames)))
            self.frames, self._first_last = [], False
        elif self.frames:
            start = _next_unindented(self._text, self.frames[-1].end, end)
            header = re.compile(_ANY_CLASS).match(self._text, start, end) if start < end else None
            if header:
                stop = self._end_of_message(header.end())
                self._add(header["any"], Span(*header.span("any")), Span(header.end(), stop))

    def take_mentioned(self, form: str, mark: str) -> None:
        """Take the exceptions that are named within lines."""
        found: dict[int, re.Match[str] | None] = {}
        for hit in islice(re.finditer(mark, self._text), _MOST_MENTIONED):
            start = self._text.rfind("\n", 0, hit.start()) + 1
            if start not in found:
                found[start] = re.compile(form).search(self._text, start, messages.end_of_line(self._text, start))
        for one in found.values():
            if one and not _is_twice(one["class"]):
                self._add(one["class"], Span(*one.span("class")), self._said(one, form))

    def _said(self, found: re.Match[str], form: str) -> Span:
        start, end = found.span("said" if found["said"] is not None else "quoted")
        if form is _TWICE:
            end = self._end_of_message(start)
            end -= self._text[start:end].endswith("`")
            end = start + (end - start) // 2 if _is_twice(self._text[start:end]) else end
        return Span(start, end)

    def _add(self, class_name: str, header: Span, span: Span) -> None:
        message = self._text[slice(*span)]
        stream, is_embedded = self._stream, self._is_embedded(header.start)
        echoes = tuple(_echoes(self._text, self.frames, header))
        self.blocks.append(
            ExceptionBlock(
                class_name=class_name,
                message=message,
                header=header,
                span=span,
                frames=tuple(self.frames),
                relation="worker" if is_embedded else self._reported,
                rank=messages.rank_above(self._text, header.start) if header.start < self._read else stream.rank,
                process=stream.process or None,
                wrapper=bool(wrappers.advice(class_name, message)),
                echoes=echoes,
                by_statement=_is_statement(self._text, self.frames, echoes),
                cut_head=self._begins_inside(),
                cut_tail=span.end == stream.end,
            )
        )
        self._read = max(self._read, span.end)
        self.frames, self._started = [], False
        self._reported = "group" if self._reported == "group" else "raised"

    def _is_embedded(self, start: int) -> bool:
        """Say whether an exception stands in the report of another process's failure."""
        last = self.blocks[-1] if self.blocks else None
        return start < self._read or bool(last and last.wrapper and _EMBEDDED in self._text[last.span.start : start])

    def _begins_inside(self) -> bool:
        """Say whether what a process wrote begins inside a traceback; syntax errors and warnings have no first line."""
        if not self.frames or self._started or not self.frames[0].function:
            return False
        before = self._text[self._stream.start : self.frames[0].start].lstrip("\n")
        return not before.strip() or before[0].isspace()


_FRAMES = ("rich", "bare", "cell", "notebook", "test")
_EMBEDDED = "terminated with the following error"
_ENDINGS = ("Error", "Exception", "Warning", "Exit", "Interrupt", "Failed")


def _is_twice(text: str) -> bool:
    """Say whether a text is another one, written twice."""
    half = len(text) // 2
    return len(text) > 1 and text[:half] == text[half:]


def _next_unindented(text: str, start: int, end: int) -> int:
    """Return where the next line begins that is not blank and not indented, or the end."""
    while start < end:
        start = text.find("\n", start, end) + 1 or end
        if start < end and not text[start].isspace():
            return start
    return end


def _echoes(text: str, frames: Iterable[Frame], header: Span) -> Iterator[Span]:
    """Yield the source lines that a traceback quotes below its frames; a frame of no file has none."""
    size = len(text)
    for frame in frames:
        start = frame.end + 1 if frame.end < size else size
        end = text.find("\n", start)
        end = end if end >= 0 else size
        if not start <= header.start <= end:
            yield Span(start, end)


# A statement that raises, also on the line of the `if` or `else` that it stands under.
_STATEMENT = r"^[^'\"#]*?(?:^|[:;\s])raise[\s(]+\w|^\s*assert\b|^\s*\w+\.throw\("


def _is_statement(text: str, frames: Sequence[Frame], echoes: Sequence[Span]) -> bool:
    """Say whether the line quoted below the last frame raises by itself: what it raises, no call in it does."""
    quoted = echoes and echoes[-1].start == frames[-1].end + 1
    return bool(quoted and re.search(_STATEMENT, text[slice(*echoes[-1])]))
