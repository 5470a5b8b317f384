"""Side files of records in a knowledge file."""

from __future__ import annotations

from pathlib import Path

from tests.support.published import envelope, write
from whyraise.knowledge.build import build


def test_an_invalid_wording_is_a_fault_and_the_record_is_served(tmp_path: Path) -> None:
    for number, wordings in enumerate(([3, {"pattern": "("}, {"pattern": "Also said so"}, {}], 7, {"pattern": 1})):
        write(tmp_path / str(number) / "record.json", envelope(f"a{number}"))
        write(tmp_path / str(number) / "wordings.json", wordings)
    built = build([tmp_path], tmp_path / "k.db")
    assert [fault[:2] for fault in built.faults] == [
        ("wordings of a0", "/0"),
        ("wordings of a0", "/1"),
        ("wordings of a0", "/3"),
        ("wordings of a1", "/0"),
        ("wordings of a2", "/0"),
    ]
    assert built.records == 3
