"""Building a knowledge file from sources."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.knowledge_files import ids, served
from tests.support.published import SEED_FILE, record, write
from whyraise.errors import KnowledgeError, SourceError
from whyraise.knowledge import file_format, queries
from whyraise.knowledge.build import build
from whyraise.knowledge.queries import Unmatched
from whyraise.records.record import DataSet

Open = Callable[..., sqlite3.Connection]
NO_RECORDS = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # SHA-256 of no bytes


def test_each_of_several_data_sets_is_served_with_its_newest_version(tmp_path: Path) -> None:
    early, late = "2026-08-28T23:00:00Z", "2026-08-28T20:00:00-05:00"
    documents = [{"record": record(name), "datasetVersion": version} for name, version in (("a", early), ("b", late))]
    write(tmp_path / "one.json", [*documents, record("c")])
    write(tmp_path / "two.json", [{"record": record("d"), "datasetVersion": version} for version in ("r9", "r8")])
    write(tmp_path / "old.json", [record("a", analyzedAt=None)])
    built = build([tmp_path / name for name in ("one.json", "two.json", "old.json")], tmp_path / "k.db")
    named = [dataset._replace(digest="") for dataset in built.datasets]
    assert named == [DataSet("one", late, 3, ""), DataSet("two", "r9", 1, ""), DataSet("old", "", 0, "")]
    assert built.datasets[2].digest == NO_RECORDS
    assert (built.records, len({dataset.digest for dataset in built.datasets})) == (4, 3)
    assert served(built) == [("a", "one"), ("b", "one"), ("c", "one"), ("d", "two")]


def test_the_data_sets_of_a_knowledge_file_keep_their_names_among_others(tmp_path: Path) -> None:
    build([write(tmp_path / "data.json", record("a1"))], tmp_path / "data.db")
    built = build([tmp_path / "data.db", write(tmp_path / "data.json", record("b2"))], tmp_path / "k.db")
    assert served(built) == [("a1", "data"), ("b2", "data-2")]


def test_invalid_records_are_reported_and_the_others_are_served(tmp_path: Path) -> None:
    bad = [{"id": 3}, record("b1", messagePattern="(open"), record("c1", lineNumber="x"), record("d1", id=...)]
    path = write(tmp_path / "data.json", [record("a1"), *bad, record("e1")])
    built = build([path], tmp_path / "k.db")
    assert served(built) == [("a1", "data"), ("e1", "data")]
    assert {(fault.file, fault.pointer.split("/")[1]) for fault in built.faults} == {(str(path), n) for n in "1234"}
    assert (str(path), "/3/lineNumber", "is a string; it must be a whole number") in built.faults
    with closing(file_format.open_file(built.path)) as connection:
        assert queries.faults(connection) == built.faults


def test_a_pattern_that_fails_on_its_own_message_is_served_by_id_and_reported_as_unmatched(opened: Open) -> None:
    connection = opened(record("a1"), record("b2", messagePattern="Something else: (.+?)"))
    reason = "the pattern does not match the record's own errorMessage"
    assert queries.unmatched(connection) == (Unmatched("b2", reason),)
    assert queries.records_by_id(connection, "b2")[0].message_pattern == "Something else: (.+?)"


def test_a_file_is_replaced_atomically_and_no_temporary_file_is_left(tmp_path: Path) -> None:
    out = tmp_path / "k.db"
    build([write(tmp_path / "a.json", record("a1"))], out)
    with closing(file_format.open_file(out)) as before:
        build([write(tmp_path / "a.json", record("b2"))], out)
        assert ids(queries.list_records(before, {}).records) == ["a1"]
    with closing(file_format.open_file(out)) as after:
        assert ids(queries.list_records(after, {}).records) == ["b2"]
    with pytest.raises(SourceError):
        build([tmp_path / "missing"], out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "k.db"]


@pytest.mark.parametrize("content", [b"{}", b"SQLite format 3\0", b"x" * 5000])
def test_a_file_of_another_kind_is_not_overwritten(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "data.json").write_bytes(content)
    with pytest.raises(KnowledgeError, match="is not a knowledge file, so it is not overwritten"):
        build([SEED_FILE], tmp_path / "data.json")
    assert (tmp_path / "data.json").read_bytes() == content


@pytest.mark.parametrize("place", ["no/such/folder/k.db", "."])
def test_an_output_path_that_cannot_be_written_is_a_clear_error(place: str, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"k\.db|not overwritten|cannot be written"):
        build([SEED_FILE], tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_may_be_overwritten(tmp_path: Path) -> None:
    (tmp_path / "k.db").touch()
    assert build([SEED_FILE], tmp_path / "k.db").records == 1


def test_a_built_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    build([SEED_FILE], tmp_path / "k.db")
    (tmp_path / "new").touch()
    assert (tmp_path / "k.db").stat().st_mode == (tmp_path / "new").stat().st_mode
