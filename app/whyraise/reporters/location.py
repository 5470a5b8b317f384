"""Finds the line of the user's own source code for a finding, which editors open and code reviews annotate."""

from __future__ import annotations

import os
from collections.abc import Sequence

from whyraise.lookup.explanation import Finding
from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.frames import Frame
from whyraise.source_paths import is_installed

# Prefix of names that are not files, such as `<string>` or `<frozen runpy>`.
_NO_FILE = "<"


class Location(NamedTuple):
    """A line of a file. The path uses `/`, and is relative to the root if the file is below the root."""

    path: str
    line: int


def own_location(finding: Finding, exceptions: Sequence[ExceptionBlock], root: str) -> Location | None:
    """Return the innermost line of the user's own code in a finding's traceback, or None if there is none.

    If the finding's exception has no such frame, the frames of all `exceptions` are used. Files below `root` come
    first, since the user has these open or under review.
    """
    blocks = [finding.exception, *exceptions] if finding.exception else exceptions
    frames = [frame for block in blocks if block for frame in reversed(block.frames) if _is_own(frame)]
    locations = [Location(_relative(frame.path, root), frame.line or 1) for frame in frames]
    below = [location for location in locations if _is_below(location.path, root)]
    return next(iter(below or locations), None)


def _is_below(path: str, root: str) -> bool:
    return not os.path.isabs(path) and os.path.isfile(os.path.join(root, path))


def frames_of(finding: Finding) -> tuple[Frame, ...]:
    """Return the frames of a finding's exception, outermost first; empty if it has no exception."""
    return finding.exception.frames if finding.exception else ()


def _is_own(frame: Frame) -> bool:
    return bool(frame.path) and not frame.path.startswith(_NO_FILE) and not is_installed(frame.path)


def _relative(path: str, root: str) -> str:
    full = os.path.normpath(os.path.join(root, path))
    below = os.path.relpath(full, root) if os.path.isabs(root) else full
    return (path if below.startswith("..") else below).replace("\\", "/")
