"""Everything that is wrong or doubtful about records, at once."""

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
    """Return pointer and reason of the warnings about documents that have no fault."""
    report = check([write(tmp_path / "data.json", list(documents))])
    assert report.faults == ()
    return [(warning.pointer, warning.reason) for warning in report.warnings]


# Python says some things in general and in particular: a missing attribute of anything, of None, of a module.
GENERAL = {
    "cannot-import-name-from-partially-initialized-modu", "keyerror", "module-has-no-attribute",
    "nonetype-object-has-no-attribute", "partially-initialized-module-has-no-attribute-most",
    "type-object-has-no-attribute",
}  # fmt: skip


def test_the_bundled_records_have_no_fault_and_no_warning_but_of_what_python_says_in_general() -> None:
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


def test_a_record_without_doubt_has_no_warning(tmp_path: Path) -> None:
    whole = record(**EXCERPT, githubUrl=URL, analyzedSha=SHA, typeGuard="x = await f()\nreturn x")
    assert warned(tmp_path, whole) == []


@pytest.mark.parametrize("pattern", ["(.+?) is (.+?)", "(.+?)", "Record (.+?)", "Record a1 cannot|(.+?)", "[a-z]+ be"])
def test_a_pattern_that_is_too_loose_is_a_warning(pattern: str, tmp_path: Path) -> None:
    message = "Record a1 cannot be opened is it"
    found = warned(tmp_path, record(errorMessage=message, messagePattern=pattern))
    reason = "is too loose: it has no 8 characters in a row of its own, and is found by raise site and class alone"
    assert found == [("/0/messagePattern", reason)]


def test_a_pattern_that_fails_on_its_own_message_is_a_warning(tmp_path: Path) -> None:
    [(pointer, reason)] = warned(tmp_path, record(messagePattern="Something else entirely"))
    assert pointer == "/0/messagePattern"
    assert reason.startswith("the record is served by its id alone: ")


def test_a_message_that_another_pattern_matches_too_is_a_warning(tmp_path: Path) -> None:
    def said(record_id: str, message: str, pattern: str) -> Fields:
        return record(record_id, errorMessage=message, messagePattern=pattern, filePath=f"src/{record_id}.py")

    found = warned(
        tmp_path,
        said("a1", "Unknown option {x} of the reader", "Unknown option (.+?) of the reader"),
        said("b2", "Unknown option {x}", "Unknown option (.+?)"),
        said("c3", "Unknown suggestion {x}", "Unknown suggestion (.+?)"),
    )
    assert found == [("/0/errorMessage", "is found by other records' patterns too: b2")]


def test_one_error_under_two_ids_is_no_cross_match(tmp_path: Path) -> None:
    one = record("a1")
    assert warned(tmp_path, one, {**one, "id": "b2"}) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (9, "9 raises and throws nothing in the excerpt"),
        (12, "12 is no line of the excerpt, which begins with 8"),
        (7, "7 is no line of the excerpt, which begins with 8"),
    ],
)
def test_a_line_that_is_no_raise_or_throw_is_a_warning(line: int, reason: str, tmp_path: Path) -> None:
    assert warned(tmp_path, record(**EXCERPT, lineNumber=line)) == [("/0/lineNumber", reason)]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (URL.replace("example", "other"), "is no address in the repository example/thing"),
        (URL.replace("https", "ftp"), "is no address in the repository example/thing"),
        (URL.replace("a.py", "b.py"), "names another file than filePath"),
        (URL.replace(SHA, "main"), "names another commit than analyzedSha"),
        (URL.replace("L11", "L12"), "names other lines than sourceCodeStart and sourceCodeEnd"),
        (URL.replace("L8-L11", "readme"), "names other lines than sourceCodeStart and sourceCodeEnd"),
        ("https://[x", "is no URL"),
    ],
)
def test_a_url_that_does_not_fit_path_and_lines_is_a_warning(url: str, reason: str, tmp_path: Path) -> None:
    assert warned(tmp_path, record(**EXCERPT, githubUrl=url, analyzedSha=SHA)) == [("/0/githubUrl", reason)]


def test_a_url_may_name_the_line_alone_or_none(tmp_path: Path) -> None:
    for fragment in ("", "#L10"):
        assert warned(tmp_path, record(**EXCERPT, githubUrl=URL.partition("#")[0] + fragment, analyzedSha=SHA)) == []
    spaced = record(filePath="src/a b.py", githubUrl=URL.partition("#")[0].replace("a.py", "a%20b.py"))
    assert warned(tmp_path, spaced) == []
    bare = record(filePath="src/a.py", githubUrl=URL, lineNumber=12)
    assert warned(tmp_path, bare) == [("/0/githubUrl", "names lines without lineNumber")]


@pytest.mark.parametrize("field", ["exampleFix", "validationCode", "typeGuard", "tryCatchPattern"])
def test_a_code_field_that_does_not_parse_is_a_warning(field: str, tmp_path: Path) -> None:
    [(pointer, reason)] = warned(tmp_path, record(**{field: "x = 1\nif x\n    pass"}))
    assert (pointer, reason) == (f"/0/{field}", "does not parse as Python: expected ':' at line 2")
    assert warned(tmp_path, record(**{field: "    if x:\n        pass\n    '\\d'"})) == []
    assert warned(tmp_path, record(filePath="a.js", **{field: "if (x) {}"})) == []


@pytest.mark.parametrize("code", ["x = '\0'", "(" * 5000, "-" * 90_000 + "1", "x\n" * 60_000], ids=range(4))
def test_code_made_to_break_the_parser_is_a_warning(code: str, tmp_path: Path) -> None:
    [(pointer, reason)] = warned(tmp_path, record(typeGuard=code))
    assert pointer == "/0/typeGuard"
    assert reason.startswith("does not parse as Python: ")


def test_notes_are_warnings_and_no_faults(tmp_path: Path) -> None:
    path = write(tmp_path / "data.json", [record("a1", schemaVersion=1), record("a1", analyzedAt=None)])
    report = check([path])
    assert (report.records, report.faults) == (1, ())
    assert [warning.pointer for warning in report.warnings] == ["/0/schemaVersion", "/1"]


def test_a_source_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"missing cannot be read"):
        check([tmp_path / "missing"])


def test_a_file_is_named_in_every_fault(tmp_path: Path) -> None:
    write(tmp_path / "b" / "record.json", {"record": {}})
    report = check([tmp_path])
    assert {fault.file for fault in report.faults} == {str(tmp_path / "b" / "record.json")}
    assert Fault(str(tmp_path / "b" / "record.json"), "/record/id", "is missing") in report.faults
