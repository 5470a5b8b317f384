"""The digests of knowledge files and of their data sets."""

from __future__ import annotations

from pathlib import Path

from tests.support.published import envelope, record, write
from whyraise.knowledge.build import build


def test_the_same_input_gives_the_same_digest(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write(tmp_path / folder / "b.json", [record("b1"), record("b2")])
        write(tmp_path / folder / "a" / "record.json", envelope("a1"))
        write(tmp_path / folder / "a" / "proof.json", {"verdict": "proven"})
    first = build([tmp_path / "one" / "a", tmp_path / "one" / "b.json"], tmp_path / "1.db")
    second = build([tmp_path / "two" / "a", tmp_path / "two" / "b.json"], tmp_path / "2.db")
    assert first == second._replace(path=first.path)
    write(tmp_path / "two" / "a" / "proof.json", {"verdict": "broken"})
    third = build([tmp_path / "two" / "a", tmp_path / "two" / "b.json"], tmp_path / "2.db")
    assert third.digest != first.digest
    assert [a == b for a, b in zip(first.datasets, third.datasets, strict=True)] == [False, True]


def test_the_digest_of_a_data_set_does_not_depend_on_the_order_of_its_records(tmp_path: Path) -> None:
    documents = [record(name) for name in "abc"]
    first = build([write(tmp_path / "data.json", documents)], tmp_path / "1.db")
    second = build([write(tmp_path / "data.json", documents[::-1])], tmp_path / "2.db")
    assert first.datasets == second.datasets
    assert first.digest != second.digest
