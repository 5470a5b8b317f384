"""The project that a user stands in: its `pyproject.toml` may name the team's own records, and ids to mute.

    [tool.whyraise]
    records = "errors"              # a folder or file below the project
    mute = ["75efde825de8eed0"]     # ids of records that are not shown

A project comes from a repository, whose author may be anybody: only what lies below it is read, and nothing is sent
anywhere. A service never reads it.
"""

from __future__ import annotations

import os

from whyraise.errors import BadInput
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

# A larger file is not read.
_MAX_BYTES = 1 << 20


class Project(NamedTuple):
    """What a project says: the path of its file, the path of its records (may be empty), and the ids to mute."""

    file: str
    records: str
    muted: frozenset[str]


def read_project(path: str) -> Project | None:
    """Return what a `pyproject.toml` says about Whyraise, or None; raise `BadInput` if that is invalid."""
    section = _section(path)
    return _project(path, section) if section else None


def _section(path: str) -> dict[str, Any]:
    """Return the table `tool.whyraise` of a file; empty if there is none, or if the file is another tool's matter."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError:
        return {}
    if b"whyraise" not in data:  # nearly all projects: importing a TOML parser takes time
        return {}
    import tomllib  # noqa: PLC0415

    try:
        section = tomllib.loads(data.decode("utf-8")).get("tool", {}).get("whyraise", {})
    except (ValueError, AttributeError, RecursionError):  # the file's own tools say what is wrong with it
        return {}
    if not isinstance(section, dict):
        raise BadInput(f"{path}: `tool.whyraise` must be a table.")
    return section


def _project(path: str, section: dict[str, Any]) -> Project:
    unknown = sorted(section.keys() - {"records", "mute"})
    if unknown:
        raise BadInput(
            f"{path}: [tool.whyraise] has unknown keys: {', '.join(unknown)}. It takes `records` and `mute`."
        )
    mute = section.get("mute", [])
    if not isinstance(mute, list) or not all(isinstance(name, str) for name in mute):
        raise BadInput(f"{path}: `mute` in [tool.whyraise] must be a list of ids.")
    return Project(path, _records(path, section.get("records", "")), frozenset(mute))


def _records(path: str, name: object) -> str:
    """Return the path of a project's records; raise `BadInput` if it does not lie below the project."""
    if name == "":
        return ""
    root = os.path.realpath(os.path.dirname(path))
    if not isinstance(name, str) or "://" in name or "\0" in name:
        raise BadInput(f"{path}: `records` in [tool.whyraise] must be the path of a folder below the project.")
    records = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([root, records]) != root or not os.path.exists(records):
        raise BadInput(f"{path}: `records` in [tool.whyraise] must be an existing folder below {root}.")
    return records
