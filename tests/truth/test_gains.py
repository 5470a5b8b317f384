"""What each kind of mined knowledge adds: which records each stage looks up in."""

import json
from pathlib import Path

from tests.support.repository import RECORDS
from tests.truth import gains
from whyraise.quality.evaluate import Case


def line(kind: str, made: str, file: str = "thing/core.py") -> dict[str, object]:
    return {"site": {"kind": kind, "made": made}, "record": {"filePath": file}}


LINES = [
    line("template", "raise"),
    line("template", "deep"),
    line("rewritten", "deep"),
    line("site", "deep"),
    line("fragment", "deep"),
    line("template", "deep", "thing/core.so"),
    line("fragment", "deep", "thing/core.so"),
]


def test_each_stage_looks_up_in_what_the_one_before_did_and_more(tmp_path: Path) -> None:
    mined = tmp_path / "mined.jsonl"
    mined.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")
    *stages, (_, python), (_, curated) = gains.parts(mined, tmp_path)
    told = [[json.loads(line) for line in Path(source).read_text("utf-8").splitlines()] for _, [source] in stages]
    assert told == [LINES[:1], LINES[:4], LINES[:5], LINES]
    assert (python, curated) == ([str(mined), str(gains.PYTHON)], [str(mined), str(RECORDS)])


def test_pastes_of_the_environments_that_are_named_are_measured(tmp_path: Path) -> None:
    path = tmp_path / "pastes.jsonl"
    rows = [{"id": name, "environment": name, "text": "x", "message": "x"} for name in "ABA"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    case = Case("A", "x", "x", "", None)
    assert gains.cases(path, ["A"]) == [case, case]
    assert [each.id for each in gains.cases(path, [])] == ["A", "B", "A"]
