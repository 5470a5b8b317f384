"""Files, folder trees and URLs as sources of records."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.published import SEED_FILE, envelope, record, write
from tests.support.repository import RECORDS
from whyraise.errors import SourceError
from whyraise.knowledge.ingest import Arrival, Note, arrivals
from whyraise.records.record import Fault
from whyraise.records.sources import Source, content_digest, files, find_sources


def sources(*places: Path) -> tuple[Source, ...]:
    return find_sources(places, "unused")


def arrived(*places: Path) -> list[Arrival | Fault | Note]:
    return list(arrivals(sources(*places)))


def ids(*places: Path) -> list[str]:
    return [each.record.id for each in arrived(*places) if isinstance(each, Arrival)]


def test_a_tree_is_read_by_content_in_the_order_of_names(tmp_path: Path) -> None:
    write(tmp_path / "b" / "named-otherwise.txt", [record("b1"), envelope("b2")])
    write(tmp_path / "a.json", record("a1"))
    write(tmp_path / "c.json", envelope("c1"))
    (tmp_path / "README.md").write_text("# No records here", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n")
    assert arrived(tmp_path)[-1:] != []
    assert ids(tmp_path) == ["a1", "c1", "b1", "b2"]
    assert [each for each in arrived(tmp_path) if not isinstance(each, Arrival)] == []


def test_the_order_of_names_does_not_depend_on_the_order_of_writing(tmp_path: Path) -> None:
    names = [f"{number * 37 % 101:03}" for number in range(101)]
    for name in names:
        write(tmp_path / name[:1] / f"{name}.json", record(name))
    assert ids(tmp_path) == sorted(names)


def test_a_folder_with_a_record_file_contributes_that_file_alone(tmp_path: Path) -> None:
    write(tmp_path / "owner/name/slug/record.json", envelope("a1"))
    write(tmp_path / "owner/name/slug/other.json", envelope("b2"))
    write(tmp_path / "owner/name/slug/match/more.json", envelope("c3"))
    write(tmp_path / "owner/name/other/loose.json", envelope("d4"))
    assert ids(tmp_path) == ["d4", "a1"]


def test_what_lies_beside_a_record_file_comes_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "slug"
    write(folder / "record.json", {**envelope(), "versions": ["1"], "proof": "of the envelope"})
    write(folder / "wordings.json", [{"pattern": "x"}])
    write(folder / "correction.json", {"typeGuard": "y"})
    write(folder / "proof.json", {"verdict": "corrected"})
    write(folder / "notes.json", {"not": "known"})
    [arrival] = arrived(tmp_path)
    assert isinstance(arrival, Arrival)
    assert arrival.record.beside == {
        "versions": ["1"],
        "wordings": [{"pattern": "x"}],
        "correction": {"typeGuard": "y"},
        "proof": {"verdict": "corrected"},
    }
    assert arrived(folder) == [arrival._replace(record=arrival.record._replace(dataset="slug"))]


def test_a_bad_side_file_is_a_fault_and_spoils_no_record(tmp_path: Path) -> None:
    write(tmp_path / "record.json", envelope())
    (tmp_path / "proof.json").write_text('{"verdict": "proven", "verdict": "broken"}', encoding="utf-8")
    (tmp_path / "wordings.json").write_text("[", encoding="utf-8")
    write(tmp_path / "correction.json", {"typeGuard": "x"})
    *faults, arrival = arrived(tmp_path)
    assert faults == [
        Fault(str(tmp_path / "wordings.json"), "", "is no valid JSON: Expecting value at column 2"),
        Fault(str(tmp_path / "proof.json"), "", "has the key 'verdict' more than once"),
    ]
    assert isinstance(arrival, Arrival)
    assert arrival.record.beside == {"correction": {"typeGuard": "x"}}


def test_one_bad_file_spoils_no_other(tmp_path: Path) -> None:
    write(tmp_path / "a.json", record("a1"))
    (tmp_path / "b.json").write_text("no json", encoding="utf-8")
    (tmp_path / "c.json").write_bytes(b"")
    write(tmp_path / "package.json", {"name": "something else"})
    write(tmp_path / "z.json", record("z9"))
    assert ids(tmp_path) == ["a1", "z9"]
    faults = {Path(each.file).name for each in arrived(tmp_path) if isinstance(each, Fault)}
    assert faults == {"b.json", "c.json", "package.json"}


def test_a_record_whose_pattern_does_not_compile_is_set_aside_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [envelope("a1"), envelope("b2", messagePattern="(open"), record("c3")])
    first, fault, last = arrived(path)
    assert isinstance(fault, Fault)
    assert fault[:2] == (str(path), "/1/record/messagePattern")
    assert fault.reason.startswith("the pattern is no regular expression: ")
    assert isinstance(first, Arrival)
    assert isinstance(last, Arrival)
    assert (first.pointer, last.pointer) == ("/0/record", "/2")


def test_hidden_files_pipes_and_links_to_folders_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / ".git" / "a.json", record("a1"))
    write(tmp_path / ".hidden.json", record("b2"))
    write(tmp_path / "tree" / "c.json", record("c3"))
    (tmp_path / "tree" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "tree" / "file.json").symlink_to(tmp_path / "tree" / "c.json")
    os.mkfifo(tmp_path / "pipe.json")
    assert ids(tmp_path) == ["c3", "c3"]


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere.json")
    write(tmp_path / "a.json", record("a1"))
    assert ids(tmp_path) == ["a1"]
    [fault] = arrivals([Source("data", "shown", str(tmp_path / "gone.json"))])
    assert fault == Fault("shown", "", "cannot be read: No such file or directory")


def test_a_folder_that_cannot_be_listed_is_a_fault(tmp_path: Path) -> None:
    source = Source("data", "shown", str(tmp_path))
    walked = files(source)
    write(tmp_path / "a" / "a.json", record("a1"))
    write(tmp_path / "b.json", record("b2"))
    assert next(walked) == str(tmp_path / "b.json")
    (tmp_path / "a" / "a.json").unlink()
    (tmp_path / "a").rmdir()
    assert list(walked) == [Fault(str(tmp_path / "a"), "", "cannot be listed: No such file or directory")]


@pytest.mark.parametrize("name", ["missing.json", "nul\0.json", "pipe"])
def test_a_source_that_is_nothing_to_read_is_refused_by_name(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match=r"Name (a file, folder or URL|one, or a URL)\."):
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


def test_data_sets_of_one_name_are_numbered(tmp_path: Path) -> None:
    places = [write(tmp_path / folder / "data.json", record(folder)) for folder in "abc"]
    found = arrived(*places)
    assert [each.record.dataset for each in found if isinstance(each, Arrival)] == ["data", "data-2", "data-3"]


def test_a_name_that_is_no_utf_8_is_shown_with_escapes(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/bad.json", "w", encoding="utf-8") as file:
        file.write("[")
    [source] = find_sources([os.fsdecode(folder)], "unused")
    assert source.name == "caf\\xe9"
    [fault] = arrivals([source])
    assert isinstance(fault, Fault)
    assert fault.file == f"{tmp_path}/caf\\xe9/bad.json"


def test_the_content_digest_follows_names_and_bytes_alone(tmp_path: Path) -> None:
    def digest(folder: Path) -> str:
        return content_digest(sources(folder))

    for copy in ("one", "two"):
        write(tmp_path / copy / "data" / "a" / "record.json", envelope())
    one, two = tmp_path / "one" / "data", tmp_path / "two" / "data"
    same = digest(one)
    assert digest(two) == same
    os.utime(two / "a" / "record.json", (0, 0))
    (two / "a" / "match").mkdir()
    assert digest(two) == same
    write(two / "a" / "proof.json", {})
    assert digest(two) != same
    write(one / "a" / "record.json", envelope("a2"))
    assert len({digest(one), digest(two), same}) == 3


def test_the_bundled_records_are_usable_and_in_folders_of_their_own_names() -> None:
    found = arrived(RECORDS)
    assert [each for each in found if not isinstance(each, Arrival)] == []
    places = {Path(each.place): f"{each.record.repo}/{each.record.slug}" for each in found if isinstance(each, Arrival)}
    assert SEED_FILE in places
    assert {str(path.parent.relative_to(RECORDS)) for path in places} == set(places.values())
