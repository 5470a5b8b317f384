"""Turns findings into annotations, which code reviews and editors show at a line of source code."""

from __future__ import annotations

from whyraise.lookup.explanation import Explanation, Finding
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reporters import summary
from whyraise.reporters.location import Location, frames_of, own_location
from whyraise.safe_text import replace_controls

if TYPE_CHECKING:
    from typing import Literal

    Level = Literal["error", "warning"]


class Annotation(NamedTuple):
    """A finding at a source line; `location` is None if neither a frame nor the file that was read gives one.

    `title` is the message in one line, `text` several lines about what is known. Both are free of terminal control
    characters.
    """

    finding: Finding
    location: Location | None
    level: Level
    title: str
    text: str


def annotate(explanation: Explanation, root: str, log: str = "") -> tuple[Annotation, ...]:
    """Return the annotations of an explanation, best finding first; `log` is the path of the file that was read, or "".

    A finding is placed at the user's own line in the traceback, or else at its line in the log, or else where the
    exception was raised.
    """
    return tuple(_annotation(finding, explanation, root, log) for finding in explanation.findings)


def _annotation(finding: Finding, explanation: Explanation, root: str, log: str) -> Annotation:
    location = own_location(finding, explanation.exceptions, root) or _other_location(finding, log)
    return Annotation(
        finding=finding,
        location=location,
        level="warning" if finding.confidence == "possible" else "error",
        title=replace_controls(summary.truncate(finding.message or finding.record.error_message)),
        text=f"{summary.title(finding)}\n{summary.details(finding, location)}",
    )


def _other_location(finding: Finding, log: str) -> Location | None:
    if log:
        return Location(log.replace("\\", "/"), finding.line)
    frames = [frame for frame in frames_of(finding) if frame.path]
    return Location(frames[-1].path.replace("\\", "/"), frames[-1].line or 1) if frames else None
