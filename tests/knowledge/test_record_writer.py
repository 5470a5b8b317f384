"""Records as they are stored: unchanged, and of several copies with one id only the newest."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.knowledge_files import served
from tests.support.published import SEED_FILE, envelope, record, write
from whyraise.knowledge import file_format, queries
from whyraise.knowledge.build import build
from whyraise.records.record import Fault, Record

Open = Callable[..., sqlite3.Connection]


def test_what_is_served_equals_what_was_published_field_for_field(opened: Open) -> None:
    published = json.loads(SEED_FILE.read_bytes())
    extra = {"π\0": [1.5, -0.0, 10**30, None, True, "a\u2028b"]}
    strange = record("b2", extra=extra, solutions=["one\n", ""])
    connection = opened(published, {"record": strange, "versions": {"from": "1"}, "origin": "mined"})
    for document in (published["record"], strange):
        found = queries.records_by_id(connection, str(document["id"]))[0]
        assert json.dumps(found.fields) == json.dumps(document)
    assert queries.records_by_id(connection, "b2")[0].beside == {"versions": {"from": "1"}}


def test_a_record_read_back_equals_the_record_that_came_in(opened: Open) -> None:
    document = {**envelope(errorClass=None), "site": {"function": "C.f"}, "origin": "curated"}
    connection = opened(document)
    assert queries.record_by_number(connection, 1) == Record(
        id="a1",
        repo="example/thing",
        slug="slug-a1",
        error_message="Record a1 cannot be opened twice: {path}",
        message_pattern=str(record()["messagePattern"]),
        error_class=None,
        severity="error",
        tags=("files",),
        site="package/module.py",
        function="f",
        line=10,
        dataset="data",
        origin="curated",
        fields=record(errorClass=None),
        beside={"site": {"function": "C.f"}},
    )


def test_if_an_id_occurs_more_than_once_the_newest_copy_is_served_with_a_note_and_no_fault(tmp_path: Path) -> None:
    times = {"old": "2026-01-02T00:00:00+03:00", "new": "2026-01-01T23:30:00Z", "tied": "2026-01-01T23:30:00Z"}
    for name, time in {**times, "undated": None}.items():
        write(tmp_path / f"{name}.json", record("a1", analyzedAt=time, errorType=name))
    built = build([tmp_path / f"{name}.json" for name in ("undated", "old", "new", "tied")], tmp_path / "k.db")
    with closing(file_format.open_file(built.path)) as connection:
        assert queries.records_by_id(connection, "a1")[0].fields["errorType"] == "new"
        assert connection.execute("SELECT count(*) FROM wording").fetchone() == (1,)
    assert (built.records, built.faults) == (1, ())
    served_instead = {"undated": "old", "old": "new", "tied": "new"}
    assert built.notes == tuple(
        Fault(
            str(tmp_path / f"{dropped}.json"),
            "",
            f"the id a1 occurs more than once; the copy in {tmp_path / other}.json is served,"
            " because no other copy was analysed later",
        )
        for dropped, other in served_instead.items()
    )


@pytest.mark.parametrize("newer", ["ours", "theirs"])
def test_a_record_keeps_its_side_files_whichever_copy_is_served(newer: str, tmp_path: Path) -> None:
    times = {"ours": "2026-01-01", "theirs": "2026-01-01", newer: "2026-01-02"}
    ours = write(tmp_path / "ours/record.json", {**envelope(analyzedAt=times["ours"]), "licence": "ours"}).parent
    write(ours / "correction.json", {"typeGuard": "x"})
    write(ours / "proof.json", {"verdict": "corrected"})
    theirs = write(tmp_path / "theirs.json", {**envelope(analyzedAt=times["theirs"]), "licence": "theirs"})
    for order in ([ours, theirs], [theirs, ours]):
        built = build(order, tmp_path / "k.db")
        assert served(built) == [("a1", newer)]
        with closing(file_format.open_file(built.path)) as connection:
            assert queries.records_by_id(connection, "a1")[0].beside == {
                "licence": newer,
                "correction": {"typeGuard": "x"},
                "proof": {"verdict": "corrected"},
            }
