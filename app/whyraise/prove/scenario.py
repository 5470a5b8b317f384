"""A record's folder, and what its scenario says about itself; nothing of it is executed here."""

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

    `raises_on` holds the ranks that must raise, `limit` the seconds a stage may take; `launched` says that ranks get
    torchrun's environment, which a scenario that starts its own processes does without.
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
    """What a record's folder holds."""

    path: Path
    record: Mapping[str, Any]
    scenario: Scenario | None
    correction: Mapping[str, Any] | None

    @property
    def digest(self) -> str:
        """The digest of all that a proof speaks of."""
        return digest(self.record, self.scenario.source if self.scenario else "", self.correction)


def read_folder(path: Path) -> Folder:
    """Read a record's folder; raise `BadInput` where a file of it is missing or malformed."""
    try:
        envelope = json.loads((path / "record.json").read_text("utf-8"))
        beside = path / "correction.json"
        correction = json.loads(beside.read_text("utf-8")) if beside.exists() else None
        source = path / "scenario.py"
        scenario = read_scenario(source.read_text("utf-8"), str(source)) if source.exists() else None
        return Folder(path, envelope.get("record", envelope), scenario, correction)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is no folder of a record: {error}.") from error


def read_scenario(source: str, where: str = "scenario.py") -> Scenario:
    """Read a scenario's settings from its text, without running it; raise `BadInput` where one is malformed."""
    try:
        body = ast.parse(source).body
        known = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()
        }
        raises_on = known.get("RAISES_ON")
        return Scenario(
            source,
            tuple(node.name for node in body if isinstance(node, ast.FunctionDef)),
            int(known["RANKS"]),
            None if raises_on is None else tuple(raises_on),
            tuple(known["IMPORTS"]),
            dict(known["LIBRARIES"]),
            float(known.get("LIMIT", 20)),
            bool(known.get("LAUNCHED", True)),
        )
    except KeyError as error:
        raise BadInput(f"{where}: {error.args[0]} is missing; a scenario says RANKS, LIBRARIES and IMPORTS.") from error
    except (SyntaxError, ValueError, TypeError) as error:
        raise BadInput(f"{where}: {error}; settings are plain constants at the top level.") from error
