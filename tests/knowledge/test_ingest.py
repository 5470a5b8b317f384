"""Records are read from files and folder trees; what is invalid becomes a fault."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.published import SEED_FILE, envelope, record, write
from tests.support.repository import RECORDS
from whyraise.knowledge.ingest import IngestedRecord, Note, ingest
from whyraise.records.record import Fault
from whyraise.records.sources import Source, find_sources


def ingested(*places: Path) -> list[IngestedRecord | Fault | Note]:
    return list(ingest(find_sources(places, "unused")))


def ids(*places: Path) -> list[str]:
    return [item.record.id for item in ingested(*places) if isinstance(item, IngestedRecord)]


def test_a_tree_is_read_by_content_in_the_order_of_names(tmp_path: Path) -> None:
    write(tmp_path / "b" / "named-otherwise.txt", [record("b1"), envelope("b2")])
    write(tmp_path / "a.json", record("a1"))
    write(tmp_path / "c.json", envelope("c1"))
    (tmp_path / "README.md").write_text("# No records here", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n")
    assert ingested(tmp_path)[-1:] != []
    assert ids(tmp_path) == ["a1", "c1", "b1", "b2"]
    assert [item for item in ingested(tmp_path) if not isinstance(item, IngestedRecord)] == []


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


def test_a_record_has_the_side_files_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "slug"
    write(folder / "record.json", {**envelope(), "versions": ["1"], "proof": "of the envelope"})
    write(folder / "wordings.json", [{"pattern": "x"}])
    write(folder / "correction.json", {"typeGuard": "y"})
    write(folder / "proof.json", {"verdict": "corrected"})
    write(folder / "notes.json", {"not": "known"})
    [item] = ingested(tmp_path)
    assert isinstance(item, IngestedRecord)
    assert item.record.beside == {
        "versions": ["1"],
        "wordings": [{"pattern": "x"}],
        "correction": {"typeGuard": "y"},
        "proof": {"verdict": "corrected"},
    }
    assert ingested(folder) == [item._replace(record=item.record._replace(dataset="slug"))]


def test_an_invalid_side_file_is_a_fault_and_its_record_is_read(tmp_path: Path) -> None:
    write(tmp_path / "record.json", envelope())
    (tmp_path / "proof.json").write_text('{"verdict": "proven", "verdict": "broken"}', encoding="utf-8")
    (tmp_path / "wordings.json").write_text("[", encoding="utf-8")
    write(tmp_path / "correction.json", {"typeGuard": "x"})
    *faults, item = ingested(tmp_path)
    assert faults == [
        Fault(str(tmp_path / "wordings.json"), "", "is not valid JSON: Expecting value at column 2"),
        Fault(str(tmp_path / "proof.json"), "", "has the key 'verdict' more than once"),
    ]
    assert isinstance(item, IngestedRecord)
    assert item.record.beside == {"correction": {"typeGuard": "x"}}


def test_an_invalid_file_is_a_fault_and_the_others_are_read(tmp_path: Path) -> None:
    write(tmp_path / "a.json", record("a1"))
    (tmp_path / "b.json").write_text("no json", encoding="utf-8")
    (tmp_path / "c.json").write_bytes(b"")
    write(tmp_path / "package.json", {"name": "something else"})
    write(tmp_path / "z.json", record("z9"))
    assert ids(tmp_path) == ["a1", "z9"]
    faults = {Path(item.file).name for item in ingested(tmp_path) if isinstance(item, Fault)}
    assert faults == {"b.json", "c.json", "package.json"}


def test_a_record_whose_pattern_does_not_compile_is_a_fault_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [envelope("a1"), envelope("b2", messagePattern="(open"), record("c3")])
    first, fault, last = ingested(path)
    assert isinstance(fault, Fault)
    assert fault[:2] == (str(path), "/1/record/messagePattern")
    assert fault.reason.startswith("the pattern is not a valid regular expression: ")
    assert isinstance(first, IngestedRecord)
    assert isinstance(last, IngestedRecord)
    assert (first.pointer, last.pointer) == ("/0/record", "/2")


def test_hidden_files_pipes_and_links_to_folders_are_skipped(tmp_path: Path) -> None:
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
    [fault] = ingest([Source("data", "display name", str(tmp_path / "gone.json"))])
    assert fault == Fault("display name", "", "cannot be read: No such file or directory")


def test_data_sets_with_the_same_name_are_numbered(tmp_path: Path) -> None:
    places = [write(tmp_path / folder / "data.json", record(folder)) for folder in "abc"]
    found = ingested(*places)
    assert [item.record.dataset for item in found if isinstance(item, IngestedRecord)] == ["data", "data-2", "data-3"]


def test_a_name_that_is_not_utf_8_is_shown_with_escapes(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/bad.json", "w", encoding="utf-8") as file:
        file.write("[")
    [source] = find_sources([os.fsdecode(folder)], "unused")
    assert source.name == "caf\\xe9"
    [fault] = ingest([source])
    assert isinstance(fault, Fault)
    assert fault.file == f"{tmp_path}/caf\\xe9/bad.json"


def test_the_bundled_records_are_valid_and_in_folders_of_their_own_names() -> None:
    found = ingested(RECORDS)
    assert [item for item in found if not isinstance(item, IngestedRecord)] == []
    records = [item for item in found if isinstance(item, IngestedRecord)]
    places = {Path(item.place): f"{item.record.repo}/{item.record.slug}" for item in records}
    assert SEED_FILE in places
    assert {str(path.parent.relative_to(RECORDS)) for path in places} == set(places.values())
