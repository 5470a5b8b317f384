"""SARIF logs are valid, and their results are at the user's own lines."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError

from tests.support.repository import RECORDS
from tests.support.sarif_schema import SCHEMA, validate
from tests.support.seed import TRACEBACK
from tests.support.user_failure import CONTROLS, JSON_RECORD, WINDOWS, failure
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import sarif
from whyraise.reporters.annotation import annotate

LOGS = sorted(RECORDS.glob("*/*/*/*/*.log"))


def test_every_answer_becomes_a_valid_sarif_log(bundled: Catalog) -> None:
    texts = [path.read_text("utf-8") for path in LOGS] + ["", "nothing", WINDOWS, CONTROLS, TRACEBACK]
    results = 0
    for text in texts:
        for log in ("", "build log #1.txt"):
            sarif_log = json.loads(sarif.log(annotate(explain(text, bundled), "/nowhere", log)))
            assert sarif_log["$schema"] == SCHEMA["id"]
            validate(sarif_log)
            results += len(sarif_log["runs"][0]["results"])
    assert results > len(LOGS)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("level", "fatal", "'fatal' is not one of"),
        ("confidence", "exact", "Additional properties are not allowed"),
        ("hostedViewerUri", "not a URI", "'not a URI' is not a 'uri'"),
    ],
)
def test_the_schema_rejects_what_sarif_does_not_allow(
    field: str, value: str, problem: str, folder: Path, bundled: Catalog
) -> None:
    sarif_log = json.loads(sarif.log(annotate(explain(failure(folder), bundled), str(folder))))
    sarif_log["runs"][0]["results"][0][field] = value
    with pytest.raises(ValidationError, match=problem):
        validate(sarif_log)


def test_a_result_is_at_the_users_own_line_and_lists_the_raising_frame_first(folder: Path, bundled: Catalog) -> None:
    [run] = json.loads(sarif.log(annotate(explain(failure(folder), bundled), str(folder))))["runs"]
    [result], [rule] = run["results"], run["tool"]["driver"]["rules"]
    assert result["ruleId"] == rule["id"] == JSON_RECORD
    assert uris_and_lines(result["locations"]) == [("src%2C%20a/train%25.py", 7)]
    frames = uris_and_lines(frame["location"] for frame in result["stacks"][0]["frames"])
    assert frames[0] == ("file:///usr/lib/python3.11/json/decoder.py", 355)
    assert result["properties"] == {
        "confidence": "exact", "kind": "fix", "captures": {"line": "1", "column": "1", "position": "0"}, "ranks": [],
        "proof": "Proven on 1 rank, 2026-12-01.",
    }  # fmt: skip
    assert rule["help"]["markdown"].startswith("# Expecting value")


def uris_and_lines(locations: Iterable[Any]) -> list[tuple[str, int]]:
    physical = [location["physicalLocation"] for location in locations]
    return [(location["artifactLocation"]["uri"], location["region"]["startLine"]) for location in physical]
