"""Answers describe a record's proof, and say if it is stale."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.records import record
from whyraise.knowledge.catalog import open_sources
from whyraise.records.proof import Proof, Stage, as_json, digest
from whyraise.records.record import Record
from whyraise.reporters import json as json_report
from whyraise.reporters import markdown

FIELDS = record("no number {x}", exampleFix="# before\na\n# after\nb\n")
PROOF = Proof(
    id=str(FIELDS["id"]),
    verdict="proven",
    stages=(Stage("reproduce", True, "", ({"rank": 0, "exception": "ValueError"},)),),
    ranks=2,
    versions={"python": "3"},
    sandbox="bwrap",
    seconds=3.5,
    date="2026-12-01",
    digest=digest(FIELDS, "RANKS = 2\n", None),
)


def served(folder: Path, scenario: str = "RANKS = 2\n", **changed: str) -> Record:
    """Return a record with a proof, read from a folder that was changed after the proof."""
    (folder / "record.json").write_text(json.dumps({**FIELDS, **changed}), "utf-8")
    (folder / "proof.json").write_text(json.dumps(as_json(PROOF)), "utf-8")
    (folder / "scenario.py").write_text(scenario, "utf-8")
    return open_sources([str(folder)], str(folder / "cache")).record_of(PROOF.id)


def test_an_answer_describes_the_proof_in_a_sentence(tmp_path: Path) -> None:
    answer = json_report.record(served(tmp_path))
    assert (answer["proofSays"], answer["proofStale"]) == ("Proven on 2 ranks, 2026-12-01.", None)
    assert "scenario" not in answer


def test_an_answer_says_that_a_proof_is_stale_when_record_scenario_or_correction_changed(tmp_path: Path) -> None:
    for number, change in enumerate(({"scenario": "RANKS = 4\n"}, {"exampleFix": "# before\na\n# after\nc\n"}, {})):
        folder = tmp_path / str(number)
        folder.mkdir()
        if not change:
            (folder / "correction.json").write_text('{"fields": {}, "why": {}}', "utf-8")
        changed = served(folder, **change)
        assert json_report.record(changed)["proofStale"] == "the record, its scenario or its correction changed since"
        assert "stale: the record, its scenario" in markdown.record(changed)
