"""Tracebacks as tools really print them, read field by field: in `tests/tracebacks`, and the handed pastes."""

import json
from typing import Any

import pytest

from tests.support.repository import ROOT
from whyraise.reading.exceptions import ExceptionBlock, parse
from whyraise.reading.frames import Frame
from whyraise.reading.paste import clean

HERE = ROOT / "tests"
PRINTED: dict[str, Any] = json.loads((HERE / "tracebacks/read.json").read_text("utf-8"))
HANDED = HERE.parents[1] / "shared/cases/reported.jsonl"
LABELS: dict[str, Any] = json.loads((HERE / "reported.json").read_text("utf-8"))


def told(text: str) -> dict[str, Any]:
    """Return what is read of a text, in the form of the labels."""
    reading = parse(clean(text))
    loose = {"looseFrames": frames(reading.loose_frames)} if reading.loose_frames else {}
    return {"exceptions": [block(each) for each in reading.blocks], **loose}


def block(each: ExceptionBlock) -> dict[str, Any]:
    return {
        "class": each.class_name,
        "message": each.message,
        "relation": each.relation,
        **({"rank": each.rank} if each.rank is not None else {}),
        **({"wrapper": True} if each.wrapper else {}),
        **({"cutHead": True} if each.cut_head else {}),
        "frames": frames(each.frames),
    }


def frames(found: tuple[Frame, ...]) -> list[str]:
    return [f"{frame.path}:{frame.line or ''}:{frame.function}" for frame in found]


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_what_a_tool_prints_is_read_field_by_field(name: str) -> None:
    assert told((HERE / f"tracebacks/{name}.txt").read_text("utf-8")) == PRINTED[name]


def test_every_printed_traceback_has_its_label() -> None:
    assert sorted(path.stem for path in (HERE / "tracebacks").glob("*.txt")) == sorted(PRINTED)


@pytest.mark.skipif(not HANDED.exists(), reason="the handed pastes do not lie beside this checkout")
def test_every_handed_paste_is_read_field_by_field() -> None:
    cases = map(json.loads, HANDED.read_text("utf-8").splitlines())
    assert {case["id"]: told(case["text"]) for case in cases} == LABELS
