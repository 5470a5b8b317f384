"""Knowledge files are built in the cache folder and reused from there."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.knowledge_files import ids_in
from tests.support.published import SEED_FILE, SEED_ID, record, write
from tests.support.repository import RECORDS
from whyraise.errors import KnowledgeError, SourceError
from whyraise.knowledge.build import build
from whyraise.knowledge.cache import knowledge_file


def identity(path: str) -> tuple[int, int]:
    """Return the inode and the time of a file, which change if it is built again."""
    status = os.stat(path)
    return status.st_ino, status.st_mtime_ns


def test_a_folder_is_built_once_and_reused_while_its_content_is_the_same(tmp_path: Path) -> None:
    cache, source = str(tmp_path / "cache"), write(tmp_path / "data" / "a.json", record("a1"))
    first = knowledge_file([source.parent], cache)
    built = identity(first)
    assert knowledge_file([source.parent], cache) == first
    assert identity(first) == built
    assert ids_in(first) == ["a1"]
    write(source, record("b2"))
    second = knowledge_file([source.parent], cache)
    assert second != first
    assert (ids_in(second), ids_in(first)) == (["b2"], ["a1"])


def test_unchanged_content_with_another_time_or_place_is_not_built_again(tmp_path: Path) -> None:
    cache, source = str(tmp_path / "cache"), write(tmp_path / "data" / "a.json", record("a1"))
    first = knowledge_file([source.parent], cache)
    built = identity(first)
    os.utime(source, (0, 0))
    assert knowledge_file([source.parent], cache) == first
    (tmp_path / "moved").mkdir()
    source.parent.rename(tmp_path / "moved" / "data")
    assert knowledge_file([tmp_path / "moved" / "data"], cache) == first
    assert identity(first) == built


def test_a_file_of_the_current_format_is_used_as_it_is(tmp_path: Path) -> None:
    built = build([SEED_FILE.parent], tmp_path / "k.db")
    assert knowledge_file([tmp_path / "k.db"], str(tmp_path / "cache")) == built.path
    assert not (tmp_path / "cache").exists()


def test_a_file_of_an_older_format_is_rebuilt_in_the_cache(tmp_path: Path) -> None:
    built = build([SEED_FILE.parent], tmp_path / "k.db")
    with closing(sqlite3.connect(built.path)) as connection:
        connection.execute("PRAGMA user_version = 0")
    path = knowledge_file([built.path], str(tmp_path / "cache"))
    assert path.startswith(str(tmp_path / "cache"))
    assert SEED_ID in ids_in(path)


def test_a_truncated_file_is_refused_and_a_truncated_copy_in_the_cache_is_built_again(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    path = Path(knowledge_file([SEED_FILE.parent], cache))
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(KnowledgeError, match="truncated"):
        knowledge_file([path], cache)
    assert knowledge_file([SEED_FILE.parent], cache) == str(path)
    path.write_text("no knowledge", encoding="utf-8")
    assert ids_in(knowledge_file([SEED_FILE.parent], cache)) == [SEED_ID]


def test_old_files_are_removed_from_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for number in range(12):
        last = knowledge_file([write(tmp_path / "a.json", record(str(number)))], str(cache))
        os.utime(last, (number, number))
    files, notes = (list((cache / "knowledge").glob(f"*.{ending}")) for ending in ("db", "note"))
    assert (len(files), len(notes)) == (8, 8)
    assert Path(last) in files


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with pytest.raises(KnowledgeError, match=r"The cache cannot be written: .*\. Set another folder\."):
        knowledge_file([SEED_FILE.parent], str(tmp_path / "cache"))
    with pytest.raises(SourceError):
        knowledge_file([tmp_path / "missing"], str(tmp_path / "cache"))


def test_the_second_start_imports_neither_pydantic_nor_fastapi_nor_httpx(tmp_path: Path) -> None:
    code = (
        "import sys; from whyraise.knowledge.cache import knowledge_file;"
        "from whyraise.records.sources import bundled_records;"
        f"knowledge_file([bundled_records()], {str(tmp_path)!r});"
        "print(sorted({'pydantic', 'fastapi', 'httpx', 'zstandard'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(RECORDS.parent / "app")}
    run = [sys.executable, "-c", code]
    outputs = [subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout for _ in "ab"]
    assert outputs == ["['pydantic', 'zstandard']\n", "[]\n"]
