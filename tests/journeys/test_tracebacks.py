"""Tracebacks as real tools print them, read field by field; and labelled pastes that are kept elsewhere."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.repository import DATA
from whyraise.reading.exceptions import ExceptionBlock, parse
from whyraise.reading.frames import Frame
from whyraise.reading.paste import clean

PRINTED: dict[str, Any] = json.loads((DATA / "tracebacks/read.json").read_text("utf-8"))
LABELS: dict[str, Any] = json.loads((DATA / "reported.json").read_text("utf-8"))
# Pastes of public reports are not ours to publish: `make test PASTES=FILE` reads them from a file of JSON Lines.
PASTES = os.environ.get("PASTES", "")


def fields_of(text: str) -> dict[str, Any]:
    """Return what is read of a text, in the form of the labels."""
    reading = parse(clean(text))
    loose = {"looseFrames": frames_of(reading.loose_frames)} if reading.loose_frames else {}
    return {"exceptions": [fields_of_block(block) for block in reading.blocks], **loose}


def fields_of_block(block: ExceptionBlock) -> dict[str, Any]:
    return {
        "class": block.class_name,
        "message": block.message,
        "relation": block.relation,
        **({"rank": block.rank} if block.rank is not None else {}),
        **({"wrapper": True} if block.wrapper else {}),
        **({"cutHead": True} if block.truncated_start else {}),
        "frames": frames_of(block.frames),
    }


def frames_of(frames: tuple[Frame, ...]) -> list[str]:
    return [f"{frame.path}:{frame.line or ''}:{frame.function}" for frame in frames]


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_what_a_tool_prints_is_read_field_by_field(name: str) -> None:
    assert fields_of((DATA / f"tracebacks/{name}.txt").read_text("utf-8")) == PRINTED[name]


def test_every_printed_traceback_has_its_label() -> None:
    assert sorted(path.stem for path in (DATA / "tracebacks").glob("*.txt")) == sorted(PRINTED)


@pytest.mark.skipif(not PASTES, reason="no labelled pastes are given: make test PASTES=FILE")
def test_every_labelled_paste_is_read_field_by_field() -> None:
    cases = map(json.loads, Path(PASTES).read_text("utf-8").splitlines())
    assert {case["id"]: fields_of(case["text"]) for case in cases} == LABELS
