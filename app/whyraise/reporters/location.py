"""Where in somebody's own source a finding points: what an editor opens and a review is annotated at."""

from __future__ import annotations

import os
from collections.abc import Sequence

from whyraise.lookup.explanation import Finding
from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.frames import Frame

# What a path goes through where the file is nobody's own but a package's or Python's.
_FOREIGN = ("/site-packages/", "/dist-packages/", "/lib/python")
# Files that are none, such as `<string>` or `<frozen runpy>`.
_NO_FILE = "<"


class Location(NamedTuple):
    """A line of a file; the path is relative to the root, with `/`, where the file lies below it."""

    path: str
    line: int


def own_location(finding: Finding, exceptions: Sequence[ExceptionBlock], root: str) -> Location | None:
    """Return the innermost line of a finding's traceback that is the user's own, or nothing where none is shown.

    Where its own exception has no such frame, those of the exceptions that followed from it are looked at. A file below
    `root` comes before any other, since that is what somebody has open or under review.
    """
    raised = [finding.exception, *exceptions] if finding.exception else exceptions
    frames = [frame for block in raised if block for frame in reversed(block.frames) if _is_own(frame)]
    located = [Location(_relative(frame.path, root), frame.line or 1) for frame in frames]
    below = [each for each in located if not os.path.isabs(each.path) and os.path.isfile(os.path.join(root, each.path))]
    return next(iter(below or located), None)


def frames_of(finding: Finding) -> tuple[Frame, ...]:
    """Return the frames of a finding's exception, as raised."""
    return finding.exception.frames if finding.exception else ()


def _is_own(frame: Frame) -> bool:
    path = frame.path.replace("\\", "/")
    return bool(path) and not path.startswith(_NO_FILE) and not any(mark in f"/{path}" for mark in _FOREIGN)


def _relative(path: str, root: str) -> str:
    full = os.path.normpath(os.path.join(root, path))
    below = os.path.relpath(full, root) if os.path.isabs(root) else full
    return (path if below.startswith("..") else below).replace("\\", "/")
