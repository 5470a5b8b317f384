"""Files and folder trees as sources of records."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.published import envelope, record, write
from whyraise.errors import SourceError
from whyraise.records.record import Fault
from whyraise.records.sources import Source, content_digest, files, find_sources


def sources(*places: Path) -> tuple[Source, ...]:
    return find_sources(places, "unused")


def test_a_folder_that_cannot_be_listed_is_a_fault(tmp_path: Path) -> None:
    source = Source("data", "display name", str(tmp_path))
    paths = files(source)
    write(tmp_path / "a" / "a.json", record("a1"))
    write(tmp_path / "b.json", record("b2"))
    assert next(paths) == str(tmp_path / "b.json")
    (tmp_path / "a" / "a.json").unlink()
    (tmp_path / "a").rmdir()
    assert list(paths) == [Fault(str(tmp_path / "a"), "", "cannot be listed: No such file or directory")]


@pytest.mark.parametrize("name", ["missing.json", "nul\0.json", "pipe"])
def test_a_source_that_cannot_be_read_is_a_clear_error(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match=r"Name a file, folder or URL\."):
        sources(tmp_path / name)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("data.json", "data"),
        ("data.v2.jsonl.gz", "data.v2"),
        ("data.ndjson.zst", "data"),
        ("plain", "plain"),
        (".json", ".json"),
        ("folder.json/", "folder.json"),
        ("_records/", "records"),
    ],
)
def test_a_data_set_is_named_after_its_file_or_folder(place: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / place
    if place.endswith("/"):
        path.mkdir()
    else:
        write(path, record())
    assert [source.name for source in sources(path)] == [name]


def test_the_content_digest_depends_on_names_and_bytes_alone(tmp_path: Path) -> None:
    def digest(folder: Path) -> str:
        return content_digest(sources(folder))

    for copy in ("first", "second"):
        write(tmp_path / copy / "data" / "a" / "record.json", envelope())
    first, second = tmp_path / "first" / "data", tmp_path / "second" / "data"
    same = digest(first)
    assert digest(second) == same
    os.utime(second / "a" / "record.json", (0, 0))
    (second / "a" / "match").mkdir()
    assert digest(second) == same
    write(second / "a" / "proof.json", {})
    assert digest(second) != same
    write(first / "a" / "record.json", envelope("a2"))
    assert len({digest(first), digest(second), same}) == 3
