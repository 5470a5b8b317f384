"""Findings as what reviews and editors show beside a line of source: a place, a level, a title and a text."""

from __future__ import annotations

from whyraise.lookup.explanation import Explanation, Finding
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reporters import summary
from whyraise.reporters.location import Location, frames_of, own_location
from whyraise.safe_text import harmless

if TYPE_CHECKING:
    from typing import Literal

    Level = Literal["error", "warning"]


class Annotation(NamedTuple):
    """A finding at a place; `location` is nothing where neither a frame nor a file that was read tells one.

    `title` is what the paste says, in one line, and `text` what is known of it, in several; neither can steer a
    terminal.
    """

    finding: Finding
    location: Location | None
    level: Level
    title: str
    text: str


def annotate(answer: Explanation, root: str, log: str = "") -> tuple[Annotation, ...]:
    """Return an explanation's findings, best first; `log` is the file that was read, if any.

    A finding is placed at the user's own line in the traceback, else at its line in the log, else where it was raised.
    """
    return tuple(_annotation(each, answer, root, log) for each in answer.findings)


def _annotation(each: Finding, answer: Explanation, root: str, log: str) -> Annotation:
    location = own_location(each, answer.exceptions, root) or _elsewhere(each, log)
    return Annotation(
        finding=each,
        location=location,
        level="warning" if each.confidence == "possible" else "error",
        title=harmless(summary.cut(each.message or each.record.error_message)),
        text=f"{summary.title(each)}\n{summary.details(each, location)}",
    )


def _elsewhere(each: Finding, log: str) -> Location | None:
    if log:
        return Location(log.replace("\\", "/"), each.line)
    frames = [frame for frame in frames_of(each) if frame.path]
    return Location(frames[-1].path.replace("\\", "/"), frames[-1].line or 1) if frames else None
