"""Reads a record's folder and the settings of its scenario, without running any of its code."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple
from whyraise.records.proof import digest

GUARDS = ("typeGuard", "validationCode")


class Scenario(NamedTuple):
    """A scenario's text, its settings, and the names of its functions.

    `raises_on` holds the ranks that must raise (None: all), `limit` the seconds that a stage may take. If `launched` is
    true, ranks get torchrun's environment; a scenario that starts its own processes does not need it.
    """

    source: str
    functions: tuple[str, ...]
    ranks: int
    raises_on: tuple[int, ...] | None
    imports: tuple[str, ...]
    libraries: Mapping[str, str]
    limit: float
    launched: bool


class Folder(NamedTuple):
    """The contents of a record's folder."""

    path: Path
    record: Mapping[str, Any]
    scenario: Scenario | None
    correction: Mapping[str, Any] | None

    @property
    def digest(self) -> str:
        """The digest of everything that a proof is about: record, scenario and correction."""
        return digest(self.record, self.scenario.source if self.scenario else "", self.correction)


def read_folder(path: Path) -> Folder:
    """Read a record's folder; raise `BadInput` if one of its files is missing or invalid."""
    try:
        envelope = json.loads((path / "record.json").read_text("utf-8"))
        corrected = path / "correction.json"
        correction = json.loads(corrected.read_text("utf-8")) if corrected.exists() else None
        source = path / "scenario.py"
        scenario = read_scenario(source.read_text("utf-8"), str(source)) if source.exists() else None
        return Folder(path, envelope.get("record", envelope), scenario, correction)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is not a valid record folder: {error}.") from error


def read_scenario(source: str, where: str = "scenario.py") -> Scenario:
    """Read a scenario's settings from its text, without running it; raise `BadInput` if one is missing or invalid."""
    try:
        body = ast.parse(source).body
        settings = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()
        }
        raises_on = settings.get("RAISES_ON")
        return Scenario(
            source,
            tuple(node.name for node in body if isinstance(node, ast.FunctionDef)),
            int(settings["RANKS"]),
            None if raises_on is None else tuple(raises_on),
            tuple(settings["IMPORTS"]),
            dict(settings["LIBRARIES"]),
            float(settings.get("LIMIT", 20)),
            bool(settings.get("LAUNCHED", True)),
        )
    except KeyError as error:
        raise BadInput(f"{where}: {error.args[0]} is missing; a scenario sets RANKS, LIBRARIES and IMPORTS.") from error
    except (SyntaxError, ValueError, TypeError) as error:
        raise BadInput(f"{where}: {error}; a setting is a literal, assigned at the top level.") from error
