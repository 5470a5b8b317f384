"""What each kind of mined knowledge adds: which records each stage looks up in."""

import json
from pathlib import Path

from tests import gains
from whyraise.coverage import Case

LINES = [
    {"site": {"kind": "template", "made": "raise"}},
    {"site": {"kind": "template", "made": "deep"}},
    {"site": {"kind": "rewritten", "made": "deep"}},
    {"site": {"kind": "site", "made": "deep"}},
    {"site": {"kind": "fragment", "made": "deep"}},
]


def test_each_stage_looks_up_in_what_the_one_before_did_and_more(tmp_path: Path) -> None:
    mined = tmp_path / "mined.jsonl"
    mined.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")
    stages = list(gains.parts(mined, tmp_path))
    *curated, _ = stages[0][1]
    told = [
        [json.loads(line) for line in Path(sources[-1]).read_text("utf-8").splitlines()] for _, sources in stages[:-1]
    ]
    assert told == [LINES[:1], LINES[:4], LINES]
    assert stages[-1] == ("and CPython's own messages", [*curated, str(mined), str(gains.PYTHON)])
    assert str(gains.PYTHON) not in curated


def test_pastes_of_the_environments_that_are_named_are_measured(tmp_path: Path) -> None:
    path = tmp_path / "pastes.jsonl"
    rows = [{"id": name, "environment": name, "text": "x", "message": "x"} for name in "ABA"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    case = Case("A", "x", "x", "", None)
    assert gains.cases(path, ["A"]) == [case, case]
    assert [each.id for each in gains.cases(path, [])] == ["A", "B", "A"]
