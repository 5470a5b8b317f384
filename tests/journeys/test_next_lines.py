"""A line that another program or a person wrote below an error changes nothing in the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.repository import RECORDS
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reading.line_kinds import RULES

LOGS = sorted(RECORDS.rglob("match/*.log"))
KNOWN_LINES = [line for rule in RULES for line in rule.examples]
# Lines that no rule was written for.
OTHER_LINES = [
    "Does anybody know what I am doing wrong?",
    "Environment: Ubuntu 22.04, Python 3.11",
    "Any help would be appreciated.",
    "It worked yesterday.",
    "Same here, with Python 3.12.",
    "I am using the latest version.",
    "Finished in 3.2 seconds.",
    "Job 4711 ended",
    "Stopping all services",
    "Cleaning up file based variables",
    "Uploading artifacts",
    "Retrying in 5 seconds",
]
# Of all the lines, each log is tried with one in this many, another one for each log.
STEP = 9


def answer(text: str, catalog: Catalog) -> list[tuple[str, str, tuple[tuple[str, str], ...]]]:
    found = explain(text, catalog).findings
    return [
        (finding.record.id, finding.confidence, tuple((capture.name, capture.value) for capture in finding.captures))
        for finding in found[:1]
    ]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parents[1].name[:30]} {path.stem}")
def test_a_line_below_an_error_does_not_change_what_is_found(path: Path, bundled: Catalog) -> None:
    text = path.read_text("utf-8").replace(">>> ", "", 1).rstrip("\n")
    expected = answer(text + "\n", bundled)
    lines = [*OTHER_LINES, *KNOWN_LINES][LOGS.index(path) % STEP :: STEP]
    assert [line for line in lines if answer(f"{text}\n{line}\n", bundled) != expected] == []
