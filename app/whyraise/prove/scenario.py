"""Reads a record's folder and the settings of its scenario, without running any of its code."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple
from whyraise.patterns.parse import Pattern, read_pattern
from whyraise.records.proof import digest
from whyraise.records.strict_json import defects, parse_json

GUARDS = ("typeGuard", "validationCode")
# Each rank is a process that imported all libraries, and a sandbox holds 64; the bundled scenarios need 2 and 60 s.
_MAX_RANKS, _MAX_SECONDS = 32, 300
# The bundled records have files of at most 20 KB.
_MAX_BYTES = 4 << 20
_REQUIRED, _OPTIONAL = ("id", "messagePattern", "errorMessage"), ("errorClass", "exampleFix", *GUARDS)


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
    """The contents of a record's folder, and the record's pattern as a lookup searches for it."""

    path: Path
    record: Mapping[str, Any]
    scenario: Scenario | None
    correction: Mapping[str, Any] | None
    pattern: Pattern

    @property
    def digest(self) -> str:
        """The digest of everything that a proof is about: record, scenario and correction."""
        return digest(self.record, self.scenario.source if self.scenario else "", self.correction)


def read_folder(path: Path) -> Folder:
    """Read a record's folder; raise `BadInput` if one of its files is missing or invalid."""
    try:
        envelope = _read_object(path / "record.json")
        record = envelope.get("record", envelope)
        _check_texts(record)
        correction = _read_object(path / "correction.json") if (path / "correction.json").exists() else None
        _check_texts({**record, **(correction or {}).get("fields", {})})
        source = path / "scenario.py"
        scenario = read_scenario(_read(source).decode("utf-8"), str(source)) if source.exists() else None
        pattern = read_pattern(record["messagePattern"], record["errorMessage"])
        return Folder(path, record, scenario, correction, pattern)
    except (OSError, ValueError, TypeError, BadInput) as error:
        raise BadInput(f"{path} is not a valid record folder: {error}.") from error


def _read(path: Path) -> bytes:
    """Return the content of a file; raise `ValueError` for a pipe, which never ends, and for a large file."""
    if not path.is_file():
        raise ValueError(f"{path.name} is not a file")
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"{path.name} has more than {_MAX_BYTES:,} bytes")
    return data


def _read_object(path: Path) -> Mapping[str, Any]:
    try:
        value = parse_json(_read(path))
    except BadInput as error:
        raise ValueError(f"{path.name} {error}") from error
    for pointer, reason in defects(value):
        raise ValueError(f"{path.name} {pointer} {reason}")
    if not isinstance(value, dict):
        raise ValueError(f"{path.name} must be an object")
    return value


def _check_texts(record: Any) -> None:
    """Raise `ValueError` unless the fields that a proof uses are texts; nobody else validates the folder."""
    if not isinstance(record, dict):
        raise ValueError("`record` must be an object")
    wrong = [name for name in _REQUIRED if not isinstance(record.get(name), str)]
    wrong += [name for name in _OPTIONAL if not isinstance(record.get(name), str | None)]
    if wrong:
        raise ValueError(f"{', '.join(wrong)} must be a text")


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
            int(_within("RANKS", settings["RANKS"], _MAX_RANKS)),
            None if raises_on is None else tuple(raises_on),
            tuple(settings["IMPORTS"]),
            dict(settings["LIBRARIES"]),
            float(_within("LIMIT", settings.get("LIMIT", 20), _MAX_SECONDS)),
            bool(settings.get("LAUNCHED", True)),
        )
    except KeyError as error:
        raise BadInput(f"{where}: {error.args[0]} is missing; a scenario sets RANKS, LIBRARIES and IMPORTS.") from error
    except (SyntaxError, ValueError, TypeError) as error:
        raise BadInput(f"{where}: {error}; a setting is a literal, assigned at the top level.") from error
    except (RecursionError, MemoryError) as error:  # Python's parser recurses
        raise BadInput(f"{where}: is nested too deeply.") from error


def _within(name: str, value: float, most: int) -> float:
    """Return a setting that is above 0 and at most `most`; raise `ValueError` for others."""
    if not 0 < value <= most:
        raise ValueError(f"{name} must be above 0 and at most {most}")
    return value
