"""Opening knowledge files, and refusing files that are not."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.knowledge_files import ids, served
from tests.support.published import SEED_FILE, SEED_ID, envelope, record, write
from whyraise.errors import KnowledgeError
from whyraise.knowledge import file_format, queries
from whyraise.knowledge.build import build


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A knowledge file with the seed record."""
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


def test_opening_a_file_creates_no_other_files(built: Path) -> None:
    before = sorted(built.parent.iterdir())
    with closing(file_format.open_file(built)) as connection:
        assert queries.record_by_number(connection, 1).id == SEED_ID
        assert sorted(built.parent.iterdir()) == before


def test_a_connection_may_be_used_from_another_thread(built: Path) -> None:
    found: list[str] = []
    with closing(file_format.open_file(built)) as connection:
        thread = threading.Thread(target=lambda: found.append(queries.record_by_number(connection, 1).id))
        thread.start()
        thread.join()
    assert found == [SEED_ID]


def test_another_kind_of_file_is_a_clear_error(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE record (id TEXT)")
    for path in (write(tmp_path / "a.json", {}), tmp_path / "other.db", write(tmp_path / "empty", "")):
        with pytest.raises(
            KnowledgeError, match=r"is not a knowledge file; create one with `whyraise build SOURCES… -o FILE`\."
        ):
            file_format.open_file(path)


@pytest.mark.parametrize("name", ["missing.db", "."])
def test_a_file_that_cannot_be_read_is_a_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"cannot be read: (No such file|Is a directory)"):
        file_format.open_file(tmp_path / name)


def test_a_file_truncated_to_any_length_is_a_clear_error(built: Path) -> None:
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
    with pytest.raises(KnowledgeError, match=r"has an older format; rebuild it with `whyraise build .*old\.db -o"):
        file_format.open_file(tmp_path / "old.db")
    assert build([tmp_path / "old.db"], tmp_path / "new.db") == first._replace(path=str(tmp_path / "new.db"))
    assert build([tmp_path / "old.db"], tmp_path / "old.db") == first
