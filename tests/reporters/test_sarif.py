"""SARIF logs are valid, and their results are at the user's own lines."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema

from tests.support.repository import RECORDS
from tests.support.sarif_rules import LOG
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
            jsonschema.validate(sarif_log, LOG)
            results += len(sarif_log["runs"][0]["results"])
    assert results > len(LOGS)


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
