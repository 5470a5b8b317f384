"""The knowledge file: written as a whole, read by many."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.published import SEED_FILE, SEED_ID, envelope, record, write
from tests.support.repository import RECORDS
from whyraise.errors import BadInput, KnowledgeError, NotFound, SourceError
from whyraise.knowledge import file_format, queries
from whyraise.knowledge.build import Built, build
from whyraise.knowledge.queries import Page, Unmatched
from whyraise.records.record import DataSet, Fault, Record

Open = Callable[..., sqlite3.Connection]
NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # SHA-256 of no bytes


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Build a file of documents and open it."""
    with ExitStack() as stack:

        def make(*documents: object) -> sqlite3.Connection:
            build([write(tmp_path / "data.json", list(documents))], tmp_path / "k.db")
            return stack.enter_context(closing(file_format.open_file(tmp_path / "k.db")))

        yield make


def ids(records: tuple[Record, ...]) -> list[str]:
    return [each.id for each in records]


def served(built: Built) -> list[tuple[str, str]]:
    """Return id and data set of every record of a built file."""
    with closing(file_format.open_file(built.path)) as connection:
        return [(each.id, each.dataset) for each in queries.list_records(connection, {}).records]


# --- writing


def test_what_is_served_equals_what_was_published_field_for_field(opened: Open) -> None:
    published = json.loads(SEED_FILE.read_bytes())
    extra = {"π\0": [1.5, -0.0, 10**30, None, True, "a\u2028b"]}
    strange = record("b2", extra=extra, solutions=["one\n", ""])
    connection = opened(published, {"record": strange, "versions": {"from": "1"}, "origin": "mined"})
    for document in (published["record"], strange):
        found = queries.record_by_id(connection, str(document["id"]))
        assert json.dumps(found.fields) == json.dumps(document)
    assert queries.record_by_id(connection, "b2").beside == {"versions": {"from": "1"}}


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


def test_several_data_sets_are_served_side_by_side_each_with_its_newest_version(tmp_path: Path) -> None:
    early, late = "2026-08-28T23:00:00Z", "2026-08-28T20:00:00-05:00"
    documents = [{"record": record(name), "datasetVersion": when} for name, when in (("a", early), ("b", late))]
    write(tmp_path / "one.json", [*documents, record("c")])
    write(tmp_path / "two.json", [{"record": record("d"), "datasetVersion": version} for version in ("r9", "r8")])
    write(tmp_path / "old.json", [record("a", analyzedAt=None)])
    built = build([tmp_path / name for name in ("one.json", "two.json", "old.json")], tmp_path / "k.db")
    named = [each._replace(digest="") for each in built.datasets]
    assert named == [DataSet("one", late, 3, ""), DataSet("two", "r9", 1, ""), DataSet("old", "", 0, "")]
    assert built.datasets[2].digest == NOTHING
    assert (built.records, len({each.digest for each in built.datasets})) == (4, 3)
    assert served(built) == [("a", "one"), ("b", "one"), ("c", "one"), ("d", "two")]


def test_of_an_id_that_is_there_twice_the_newest_is_served_with_a_note_and_no_fault(tmp_path: Path) -> None:
    times = {"old": "2026-01-02T00:00:00+03:00", "new": "2026-01-01T23:30:00Z", "tied": "2026-01-01T23:30:00Z"}
    for name, when in {**times, "undated": None}.items():
        write(tmp_path / f"{name}.json", record("a1", analyzedAt=when, errorType=name))
    built = build([tmp_path / f"{name}.json" for name in ("undated", "old", "new", "tied")], tmp_path / "k.db")
    with closing(file_format.open_file(built.path)) as connection:
        assert queries.record_by_id(connection, "a1").fields["errorType"] == "new"
        assert connection.execute("SELECT count(*) FROM wording").fetchone() == (1,)
    assert (built.records, built.faults) == (1, ())
    kept = {"undated": "old", "old": "new", "tied": "new"}
    assert built.notes == tuple(
        Fault(
            str(tmp_path / f"{dropped}.json"),
            "",
            f"the id a1 is there twice; the copy in {tmp_path / other}.json is served, as none was analysed later",
        )
        for dropped, other in kept.items()
    )


@pytest.mark.parametrize("newer", ["ours", "theirs"])
def test_corrections_wordings_and_proofs_stay_with_the_id_whichever_copy_is_served(newer: str, tmp_path: Path) -> None:
    times = {"ours": "2026-01-01", "theirs": "2026-01-01", newer: "2026-01-02"}
    ours = write(tmp_path / "ours/record.json", {**envelope(analyzedAt=times["ours"]), "licence": "ours"}).parent
    write(ours / "correction.json", {"typeGuard": "x"})
    write(ours / "proof.json", {"verdict": "corrected"})
    theirs = write(tmp_path / "theirs.json", {**envelope(analyzedAt=times["theirs"]), "licence": "theirs"})
    for order in ([ours, theirs], [theirs, ours]):
        built = build(order, tmp_path / "k.db")
        assert served(built) == [("a1", newer)]
        with closing(file_format.open_file(built.path)) as connection:
            assert queries.record_by_id(connection, "a1").beside == {
                "licence": newer,
                "correction": {"typeGuard": "x"},
                "proof": {"verdict": "corrected"},
            }


def test_what_cannot_be_used_is_set_aside_and_the_others_are_served(tmp_path: Path) -> None:
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
    assert queries.record_by_id(connection, "b2").message_pattern == "Something else: (.+?)"


def test_a_wording_that_cannot_be_used_is_a_fault_and_the_record_is_served(tmp_path: Path) -> None:
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


def test_a_file_appears_as_a_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
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
    with pytest.raises(KnowledgeError, match="is no knowledge file, and is not overwritten"):
        build([SEED_FILE], tmp_path / "data.json")
    assert (tmp_path / "data.json").read_bytes() == content


@pytest.mark.parametrize("place", ["no/such/folder/k.db", "."])
def test_a_place_that_cannot_be_written_is_a_clear_error(place: str, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"k\.db|not overwritten|cannot be written"):
        build([SEED_FILE], tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_may_be_overwritten(tmp_path: Path) -> None:
    (tmp_path / "k.db").touch()
    assert build([SEED_FILE], tmp_path / "k.db").records == 1


def test_a_file_has_the_rights_that_a_new_file_has(tmp_path: Path) -> None:
    build([SEED_FILE], tmp_path / "k.db")
    (tmp_path / "new").touch()
    assert (tmp_path / "k.db").stat().st_mode == (tmp_path / "new").stat().st_mode


# --- opening


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A file with the seed record."""
    return Path(build([SEED_FILE.parent], tmp_path / "k.db").path)


@pytest.mark.parametrize("name", ["with space.db", "100%41.db", "a?b#c.db", "é.db", "caf\udce9.db"])
def test_a_file_of_any_name_is_opened(name: str, built: Path) -> None:
    moved = built.rename(built.with_name(name))
    with closing(file_format.open_file(moved)) as connection:
        assert ids(queries.list_records(connection, {}).records) == [SEED_ID]


def test_an_open_file_cannot_be_written(built: Path) -> None:
    with closing(file_format.open_file(built)) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM record")


def test_a_file_is_read_without_locks(built: Path) -> None:
    with closing(sqlite3.connect(built)) as other, closing(file_format.open_file(built)) as connection:
        other.execute("BEGIN EXCLUSIVE")
        assert queries.record_by_number(connection, 1).id == SEED_ID


def test_a_file_is_opened_where_nothing_can_be_written(built: Path) -> None:
    before = sorted(built.parent.iterdir())
    with closing(file_format.open_file(built)) as connection:
        assert queries.record_by_number(connection, 1).id == SEED_ID
        assert sorted(built.parent.iterdir()) == before


def test_a_foreign_file_is_a_clear_error(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE record (id TEXT)")
    for path in (write(tmp_path / "a.json", {}), tmp_path / "other.db", write(tmp_path / "empty", "")):
        with pytest.raises(
            KnowledgeError, match=r"is no knowledge file; `whyraise build SOURCES… -o FILE` writes one\."
        ):
            file_format.open_file(path)


@pytest.mark.parametrize("name", ["missing.db", "."])
def test_a_file_that_cannot_be_read_is_a_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"cannot be read: (No such file|Is a directory)"):
        file_format.open_file(tmp_path / name)


def test_a_truncated_file_is_a_clear_error_wherever_it_was_cut(built: Path) -> None:
    whole = built.read_bytes()
    for size in (72, 99, 100, 4096, len(whole) // 2, len(whole) - 1):
        built.write_bytes(whole[:size])
        with pytest.raises(KnowledgeError, match="truncated"):
            file_format.open_file(built)


def set_format(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def test_a_newer_file_is_a_clear_error(built: Path) -> None:
    set_format(built, file_format.FORMAT + 1)
    with pytest.raises(KnowledgeError, match=r"has format \d+; this program reads up to \d+\. Update whyraise\."):
        file_format.open_file(built)
    other = build([built, write(built.with_name("a.json"), record("a1"))], built.with_name("other.db"))
    assert served(other) == [("a1", "a")]
    assert "Update whyraise" in other.faults[0].reason


def test_a_file_of_an_older_format_is_rebuilt_from_its_own_json(tmp_path: Path) -> None:
    mined = {**envelope("z1"), "licence": "MIT", "origin": "mined"}
    write(tmp_path / "one.json", [mined, record("a1"), {"id": 3}])
    first = build([SEED_FILE.parent, tmp_path / "one.json"], tmp_path / "old.db")
    set_format(tmp_path / "old.db", 0)
    with pytest.raises(KnowledgeError, match=r"has an older format; write it anew with `whyraise build .*old\.db -o"):
        file_format.open_file(tmp_path / "old.db")
    assert build([tmp_path / "old.db"], tmp_path / "new.db") == first._replace(path=str(tmp_path / "new.db"))
    assert build([tmp_path / "old.db"], tmp_path / "old.db") == first


def test_the_data_sets_of_a_knowledge_file_keep_their_names_beside_others(tmp_path: Path) -> None:
    build([write(tmp_path / "data.json", record("a1"))], tmp_path / "data.db")
    built = build([tmp_path / "data.db", write(tmp_path / "data.json", record("b2"))], tmp_path / "k.db")
    assert served(built) == [("a1", "data"), ("b2", "data-2")]


# --- reading


def test_a_record_that_is_not_there_is_not_found(opened: Open) -> None:
    connection = opened(record("a1"))
    for missing in ("", "a", "A1", "a1 ", "\ud800", "\0"):
        with pytest.raises(NotFound):
            queries.record_by_id(connection, missing)
    with pytest.raises(NotFound, match="No record has the number 2"):
        queries.record_by_number(connection, 2)
    assert queries.records_by_slug(connection, "example/thing", "none") == ()


def test_records_that_share_a_slug_are_all_found(opened: Open) -> None:
    connection = opened(record("b2", slug="s"), record("a1", slug="s"), record("c3", slug="s", repo="other/thing"))
    assert ids(queries.records_by_slug(connection, "example/thing", "s")) == ["a1", "b2"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["a1", "b2", "c3"]),
        ({"repo": "example/thing"}, ["a1", "b2"]),
        ({"tag": "gpu"}, ["a1", "c3"]),
        ({"tag": "gp"}, []),
        ({"errorClass": "KeyError"}, ["b2"]),
        ({"severity": "warning"}, ["b2"]),
        ({"origin": "mined"}, ["c3"]),
        ({"dataset": "data"}, ["a1", "b2", "c3"]),
        ({"dataset": "other"}, []),
        ({"tag": "gpu", "repo": "example/thing", "severity": "error"}, ["a1"]),
        ({"tag": "' OR 1 --"}, []),
        ({"repo": "\ud800"}, []),
    ],
)
def test_records_are_listed_by_what_all_filters_ask_for(
    filters: dict[str, str], expected: list[str], opened: Open
) -> None:
    connection = opened(
        record("a1", tags=["gpu", "ddp", "gpu"]),
        record("b2", tags=[], errorClass="KeyError", severity="warning"),
        {**envelope("c3", tags=["gpu"], repo="other/thing"), "origin": "mined"},
    )
    assert ids(queries.list_records(connection, filters).records) == expected


def test_an_unknown_filter_is_refused_by_name(opened: Open) -> None:
    with pytest.raises(BadInput, match=r"There is no filter colour; there are repo, tag, errorClass, .*dataset\."):
        queries.list_records(opened(record()), {"colour": "red"})


def test_pages_follow_each_other_without_gap_or_overlap(opened: Open) -> None:
    connection = opened(*(record(f"r{number}") for number in range(7)))
    pages, after = [], ""
    while True:
        page = queries.list_records(connection, {"tag": "files"}, q="opened", after=after, limit=3)
        pages.append(ids(page.records))
        after = page.after
        if not after:
            break
    assert pages == [["r0", "r1", "r2"], ["r3", "r4", "r5"], ["r6"]]
    assert queries.list_records(connection, {}, after="r6") == Page((), "")
    assert queries.list_records(connection, {}, limit=7).after == ""


def test_words_are_searched_in_message_name_tags_explanation_and_code(opened: Open) -> None:
    connection = opened(
        record("a1", errorMessage="Cannot wrap the zebra", messagePattern="Cannot wrap the zebra"),
        record("b2", errorClass="ZebraError", function="x"),
        record("c3", backgroundTag="zebra"),
        record("d4", preventionTips=["Feed the zebras"], documentation=None),
        record("e5", typeGuard="is_zebra(x)"),
        record("f6", unknown="zebra"),
    )
    assert ids(queries.search(connection, "zebra")) == ["a1", "c3", "d4", "e5"]
    assert ids(queries.search(connection, "ZEBRAERROR")) == ["b2"]
    assert ids(queries.search(connection, "zebra wrapping")) == ["a1"]
    assert ids(queries.search(connection, "zebra", limit=2)) == ["a1", "c3"]
    assert ids(queries.list_records(connection, {}, q="is_zebra").records) == ["e5"]


@pytest.mark.parametrize("words", ["", " ", '"', "...", "* ( ) :", "\0", "\ud800", "'", "NEAR(", "_"])
def test_signs_alone_find_nothing(words: str, opened: Open) -> None:
    assert queries.search(opened(record()), words) == ()


def test_the_best_come_first(opened: Open) -> None:
    said, told = "DDP cannot start", "The process cannot start, as described for DDP and others at length elsewhere"
    connection = opened(
        record("a1", documentation=told),
        record("b2", errorMessage=said, messagePattern=said),
        record("c3", errorMessage=told, messagePattern=told),
    )
    assert ids(queries.search(connection, "ddp start")) == ["b2", "c3", "a1"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    folder = tmp_path_factory.mktemp("shared")
    build([SEED_FILE.parent], folder / "k.db")
    with closing(file_format.open_file(folder / "k.db")) as connection:
        yield connection


@given(st.text(st.characters(exclude_categories=())))
def test_any_words_can_be_searched_for(shared: sqlite3.Connection, words: str) -> None:
    assert len(queries.search(shared, words)) <= 1
    assert len(queries.list_records(shared, {}, q=words).records) <= 1


@given(
    st.lists(
        st.sampled_from(["no_backward_sync", "Fabric", "TYPEERROR", "DDP-wrapped", "`module`", '"sync', 'sync""']),
        min_size=1,
    )
)
def test_every_word_of_a_record_finds_it_however_it_is_written(shared: sqlite3.Connection, words: list[str]) -> None:
    assert ids(queries.search(shared, " ".join(words))) == [SEED_ID]


def test_a_connection_may_be_used_from_another_thread(built: Path) -> None:
    found: list[str] = []
    with closing(file_format.open_file(built)) as connection:
        thread = threading.Thread(target=lambda: found.append(queries.record_by_number(connection, 1).id))
        thread.start()
        thread.join()
    assert found == [SEED_ID]


def test_reading_imports_neither_pydantic_nor_fastapi_nor_httpx() -> None:
    code = (
        "import sys, whyraise.knowledge.queries; print({'pydantic', 'fastapi', 'httpx', 'pathlib'} & set(sys.modules))"
    )
    run = [sys.executable, "-S", "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(RECORDS.parent / "app")}
    assert subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout == "set()\n"
