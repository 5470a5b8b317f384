"""Faults and warnings of records."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.published import Fields, envelope, record, write
from tests.support.repository import RECORDS
from whyraise.errors import SourceError
from whyraise.quality.lint import check
from whyraise.records.record import Fault

SOURCE = "def f():\n    if x:\n        raise ValueError(x)\n    return x\n"
EXCERPT: Fields = {"sourceCode": SOURCE, "sourceCodeStart": 8, "sourceCodeEnd": 11, "filePath": "src/a.py"}
SHA = "9fed5c27d2a62ff0efd6c3573599921d6ff67c14"
URL = f"https://github.com/example/thing/blob/{SHA}/src/a.py#L8-L11"


def warned(tmp_path: Path, *documents: object) -> list[tuple[str, str]]:
    """Return pointer and reason of the warnings about documents without faults."""
    report = check([write(tmp_path / "data.json", list(documents))])
    assert report.faults == ()
    return [(warning.pointer, warning.reason) for warning in report.warnings]


# Some of Python's messages are special cases of others: a missing attribute of any object, of None, of a module.
GENERAL = {
    "cannot-import-name-from-partially-initialized-modu", "keyerror", "module-has-no-attribute",
    "nonetype-object-has-no-attribute", "partially-initialized-module-has-no-attribute-most",
    "type-object-has-no-attribute",
}  # fmt: skip


def test_the_bundled_records_have_no_fault_and_no_warning_except_for_general_messages() -> None:
    report = check([RECORDS])
    assert report.faults == ()
    assert {Path(warning.file).parent.name for warning in report.warnings} == GENERAL


def test_every_fault_of_every_record_is_reported_at_once(tmp_path: Path) -> None:
    first = record("a1", slug=..., lineNumber="1", messagePattern="(open")
    path = write(tmp_path / "data.json", [first, envelope("b2", tags=[1, 2]), record("c3")])
    (tmp_path / "more.json").write_text("{", encoding="utf-8")
    report = check([path, tmp_path / "more.json"])
    assert report.records == 1
    assert [fault[:2] for fault in report.faults] == [
        (str(path), "/0/slug"),
        (str(path), "/0/lineNumber"),
        (str(path), "/0/messagePattern"),
        (str(path), "/1/record/tags/0"),
        (str(path), "/1/record/tags/1"),
        (str(tmp_path / "more.json"), ""),
    ]


def test_a_consistent_record_has_no_warning(tmp_path: Path) -> None:
    whole = record(**EXCERPT, githubUrl=URL, analyzedSha=SHA, typeGuard="x = await f()\nreturn x")
    assert warned(tmp_path, whole) == []


@pytest.mark.parametrize("pattern", ["(.+?) is (.+?)", "(.+?)", "Record (.+?)", "Record a1 cannot|(.+?)", "[a-z]+ be"])
def test_a_pattern_that_is_too_general_is_a_warning(pattern: str, tmp_path: Path) -> None:
    message = "Record a1 cannot be opened is it"
    found = warned(tmp_path, record(errorMessage=message, messagePattern=pattern))
    reason = (
        "is too general: it has no literal of 8 or more characters, so that only raise site and class find the record"
    )
    assert found == [("/0/messagePattern", reason)]


def test_a_pattern_that_fails_on_its_own_message_is_a_warning(tmp_path: Path) -> None:
    [(pointer, reason)] = warned(tmp_path, record(messagePattern="Something else entirely"))
    assert pointer == "/0/messagePattern"
    assert reason.startswith("cannot be searched for, so that only its id finds the record: ")


def test_a_message_that_another_pattern_matches_too_is_a_warning(tmp_path: Path) -> None:
    def with_message(record_id: str, message: str, pattern: str) -> Fields:
        return record(record_id, errorMessage=message, messagePattern=pattern, filePath=f"src/{record_id}.py")

    found = warned(
        tmp_path,
        with_message("a1", "Unknown option {x} of the reader", "Unknown option (.+?) of the reader"),
        with_message("b2", "Unknown option {x}", "Unknown option (.+?)"),
        with_message("c3", "Unknown suggestion {x}", "Unknown suggestion (.+?)"),
    )
    assert found == [("/0/errorMessage", "also matches the patterns of other records: b2")]


def test_one_error_under_two_ids_is_no_cross_match(tmp_path: Path) -> None:
    first = record("a1")
    assert warned(tmp_path, first, {**first, "id": "b2"}) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (9, "line 9 of the excerpt has no raise or throw"),
        (12, "line 12 is outside the excerpt, which starts at line 8"),
        (7, "line 7 is outside the excerpt, which starts at line 8"),
    ],
)
def test_a_line_without_a_raise_or_throw_is_a_warning(line: int, reason: str, tmp_path: Path) -> None:
    assert warned(tmp_path, record(**EXCERPT, lineNumber=line)) == [("/0/lineNumber", reason)]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (URL.replace("example", "other"), "is not a URL in the repository example/thing"),
        (URL.replace("https", "ftp"), "is not a URL in the repository example/thing"),
        (URL.replace("a.py", "b.py"), "points to another file than filePath"),
        (URL.replace(SHA, "main"), "points to another commit than analyzedSha"),
        (URL.replace("L11", "L12"), "points to other lines than sourceCodeStart and sourceCodeEnd"),
        (URL.replace("L8-L11", "readme"), "points to other lines than sourceCodeStart and sourceCodeEnd"),
        ("https://[x", "is not a URL"),
    ],
)
def test_a_url_that_does_not_fit_path_and_lines_is_a_warning(url: str, reason: str, tmp_path: Path) -> None:
    assert warned(tmp_path, record(**EXCERPT, githubUrl=url, analyzedSha=SHA)) == [("/0/githubUrl", reason)]


def test_a_url_may_have_one_line_or_none(tmp_path: Path) -> None:
    for fragment in ("", "#L10"):
        assert warned(tmp_path, record(**EXCERPT, githubUrl=URL.partition("#")[0] + fragment, analyzedSha=SHA)) == []
    spaced = record(filePath="src/a b.py", githubUrl=URL.partition("#")[0].replace("a.py", "a%20b.py"))
    assert warned(tmp_path, spaced) == []
    bare = record(filePath="src/a.py", githubUrl=URL, lineNumber=12)
    assert warned(tmp_path, bare) == [("/0/githubUrl", "points to lines that do not include lineNumber")]


@pytest.mark.parametrize("field", ["exampleFix", "validationCode", "typeGuard", "tryCatchPattern"])
def test_a_code_field_that_does_not_parse_is_a_warning(field: str, tmp_path: Path) -> None:
    [(pointer, reason)] = warned(tmp_path, record(**{field: "x = 1\nif x\n    pass"}))
    assert (pointer, reason) == (f"/0/{field}", "is not valid Python: expected ':' at line 2")
    assert warned(tmp_path, record(**{field: "    if x:\n        pass\n    '\\d'"})) == []
    assert warned(tmp_path, record(filePath="a.js", **{field: "if (x) {}"})) == []


@pytest.mark.parametrize("code", ["x = '\0'", "(" * 5000, "-" * 90_000 + "1", "x\n" * 60_000], ids=range(4))
def test_code_made_to_break_the_parser_is_a_warning(code: str, tmp_path: Path) -> None:
    [(pointer, reason)] = warned(tmp_path, record(typeGuard=code))
    assert pointer == "/0/typeGuard"
    assert reason.startswith("is not valid Python: ")


def test_notes_are_warnings_and_not_faults(tmp_path: Path) -> None:
    path = write(tmp_path / "data.json", [record("a1", schemaVersion=1), record("a1", analyzedAt=None)])
    report = check([path])
    assert (report.records, report.faults) == (1, ())
    assert [warning.pointer for warning in report.warnings] == ["/0/schemaVersion", "/1"]


def test_a_missing_source_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"missing cannot be read"):
        check([tmp_path / "missing"])


def test_a_file_is_named_in_every_fault(tmp_path: Path) -> None:
    write(tmp_path / "b" / "record.json", {"record": {}})
    report = check([tmp_path])
    assert {fault.file for fault in report.faults} == {str(tmp_path / "b" / "record.json")}
    assert Fault(str(tmp_path / "b" / "record.json"), "/record/id", "is missing") in report.faults
