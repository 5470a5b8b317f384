"""Records as a publisher would write them, for tests to change one thing at a time."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support import records
from tests.support.repository import RECORDS

Fields = dict[str, object]

SEED_FILE = RECORDS / "Lightning-AI/pytorch-lightning/blocking-backward-sync-is-only-possible-if-the-mod/record.json"
SEED_ID = "75efde825de8eed0"


def record(record_id: str = "a1", /, **changes: object) -> Fields:
    """Return a bare record of schema version 2 that has every required field, with changes; `...` leaves one out."""
    fields = records.record(
        f"Record {record_id} cannot be opened twice: {{path}}",
        id=record_id,
        slug=f"slug-{record_id}",
        filePath="src/package/module.py",
        solutions=["Close it first"],
        tags=["files"],
    )
    return {name: value for name, value in {**fields, **changes}.items() if value is not ...}


def envelope(record_id: str = "a1", /, **changes: object) -> Fields:
    """Return a record in its envelope."""
    return {"record": record(record_id, **changes), "datasetVersion": "2026-02-01T00:00:00Z"}


def write(path: Path, value: object) -> Path:
    """Write a value as a JSON file, making the folders above it, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
