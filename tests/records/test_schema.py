"""Published JSON is validated: it becomes a record or a list of faults."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.published import SEED_FILE, Fields, envelope, record
from whyraise.records.documents import Document
from whyraise.records.record import Fault, Json
from whyraise.records.schema import PublishedRecord, Reading, read_record, read_timestamp

REQUIRED = (
    "id",
    "repo",
    "slug",
    "errorMessage",
    "messagePattern",
    "errorType",
    "severity",
    "filePath",
    "lineNumber",
)
NULLABLE = (
    "errorCode",
    "errorClass",
    "httpStatus",
    "sourceCode",
    "sourceCodeStart",
    "sourceCodeEnd",
    "githubUrl",
    "documentation",
    "triggerScenarios",
    "commonSituations",
    "exampleFix",
    "handlingStrategy",
    "validationCode",
    "typeGuard",
    "tryCatchPattern",
    "backgroundTag",
    "analyzedSha",
    "analyzedAt",
)


def read(value: object) -> Reading:
    return read_record(Document("data.json", "", value), "data")


def faults(value: object) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.reason) for fault in read(value).faults]


def test_the_seed_record_is_read_field_for_field() -> None:
    published = json.loads(SEED_FILE.read_bytes())
    reading = read(published)
    assert reading.record is not None
    assert reading.record.fields == published["record"]
    assert list(reading.record.fields) == list(published["record"])
    assert reading.record._replace(fields={}) == (
        "75efde825de8eed0",
        "Lightning-AI/pytorch-lightning",
        "blocking-backward-sync-is-only-possible-if-the-mod",
        published["record"]["errorMessage"],
        published["record"]["messagePattern"],
        "TypeError",
        "error",
        ("ddp", "gradient-accumulation", "type-mismatch", "pytorch-lightning"),
        "lightning/fabric/strategies/ddp.py",
        "no_backward_sync",
        268,
        "data",
        "published",
        {},
        {},
    )
    assert (reading.version, reading.faults, reading.notes) == ("2026-08-28T16:17:29.566Z", (), ())


def test_the_seed_record_has_every_field_of_schema_version_2_and_no_other() -> None:
    aliases = {field.alias for field in PublishedRecord.model_fields.values()}
    assert set(json.loads(SEED_FILE.read_bytes())["record"]) == aliases


def test_a_bare_record_is_read_like_a_record_in_an_envelope() -> None:
    assert read(record()).record == read(envelope()).record


@pytest.mark.parametrize("name", REQUIRED)
def test_a_required_field_that_is_missing_or_null_is_a_fault(name: str) -> None:
    assert faults(record(**{name: ...})) == [(f"/{name}", "is missing")]
    kind = "a whole number" if name == "lineNumber" else "a string"
    assert faults(record(**{name: None})) == [(f"/{name}", f"is null; it must be {kind}")]


@pytest.mark.parametrize("name", NULLABLE)
def test_an_optional_field_may_be_null_or_missing(name: str) -> None:
    for value in (None, ...):
        reading = read(record(**{name: value}))
        assert reading.record is not None
        assert reading.record.fields == record(**{name: value})


@pytest.mark.parametrize("name", [*REQUIRED, *NULLABLE, "solutions", "preventionTips", "tags", "schemaVersion"])
@pytest.mark.parametrize("value", [True, 1.5, {}, [[]]], ids=str)
def test_a_field_of_the_wrong_type_is_a_fault_at_its_place(name: str, value: object) -> None:
    [(pointer, reason)] = faults(envelope(**{name: value}))
    assert pointer.startswith(f"/record/{name}")
    assert "; it must be " in reason


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("id", "", "string should have at least 1 character"),
        ("id", "a/b", "must be one word, without spaces, control characters or slashes"),
        ("slug", "a b", "must be one word, without spaces, control characters or slashes"),
        ("repo", "name", "must be owner/name, without spaces, control characters or further slashes"),
        ("repo", "a/b/c", "must be owner/name, without spaces, control characters or further slashes"),
        ("lineNumber", -1, "input should be greater than or equal to 0"),
        ("lineNumber", 2**80, "input should be less than or equal to 9007199254740991"),
        ("httpStatus", 42, "input should be greater than or equal to 100"),
        ("analyzedAt", "yesterday", "is not an ISO 8601 date and time"),
        ("extra", {"lone \ud800": 1}, "has a key with a lone surrogate, which is not a valid character"),
        ("errorMessage", "lone \ud800", "has a lone surrogate, which is not a valid character"),
    ],
)
def test_an_invalid_value_is_a_fault_that_says_what_is_expected(name: str, value: object, reason: str) -> None:
    assert faults(record(**{name: value})) == [(f"/{name}", reason)]


def test_all_faults_of_a_record_are_reported_at_once() -> None:
    invalid = envelope(id=..., lineNumber="3", tags=["a", 2], extra={"~x/y": math.nan})
    assert read({**invalid, "origin": "unknown", "site": {"function": 1}}).faults == (
        Fault(
            "data.json", "/record/extra/~0x~1y", "is a number that JSON cannot represent (NaN, infinite or too large)"
        ),
        Fault("data.json", "/record/id", "is missing"),
        Fault("data.json", "/record/lineNumber", "is a string; it must be a whole number"),
        Fault("data.json", "/record/tags/1", "is a number; it must be a string"),
        Fault("data.json", "/origin", "input should be 'curated', 'published' or 'mined'"),
        Fault("data.json", "/site/function", "is a number; it must be a string"),
    )


@pytest.mark.parametrize("value", [None, 3, "text", [], True])
def test_a_value_that_is_not_an_object_is_not_a_record(value: object) -> None:
    [(pointer, reason)] = faults(value)
    assert pointer == ""
    assert reason.endswith("it must be an object")
    [(pointer, _)] = faults({"record": value})
    assert pointer == "/record"


def test_unknown_fields_are_kept_as_published() -> None:
    extra = {"future": {"nested": [1, 2.5, None, "é\0"]}, "model_config": 1, "schema_version": 9, "lineNumbers": []}
    reading = read(record(**extra))
    assert reading.record is not None
    assert reading.record.fields == record(**extra)


def test_a_bare_record_may_have_an_unknown_field_of_any_name() -> None:
    reading = read(record(record={"id": "other"}, records=[]))
    assert reading.record is not None
    assert reading.record.fields == record(record={"id": "other"}, records=[])


@pytest.mark.parametrize("version", [1, 3])
def test_a_record_of_another_schema_version_is_accepted_with_a_note_if_it_is_valid(version: int) -> None:
    reading = read(envelope(schemaVersion=version))
    assert reading.record is not None
    assert reading.record.fields["schemaVersion"] == version
    reason = f"is {version}; the record is valid as version 2 and was read as such"
    assert reading.notes == (Fault("data.json", "/record/schemaVersion", reason),)
    assert faults(envelope(schemaVersion=version, slug=...)) == [("/record/slug", "is missing")]


def test_a_record_without_schema_version_is_read_as_version_2_and_noted() -> None:
    reason = "is missing; the record is valid as version 2 and was read as such"
    assert read(record(schemaVersion=...)).notes == (Fault("data.json", "/schemaVersion", reason),)


def test_the_other_keys_of_an_envelope_are_kept() -> None:
    site = {"function": "Strategy.setup.<locals>.check", "guard": "not x"}
    keys = {"origin": "mined", "site": site, "versions": ["1", "2"], "history": None, "licence": "MIT", "more": 1}
    reading = read({**envelope(), **keys})
    assert reading.record is not None
    assert (reading.record.origin, reading.record.function) == ("mined", "check")
    assert reading.record.beside == {name: value for name, value in keys.items() if name != "origin"}


def test_the_keys_of_an_enclosing_object_apply_unless_the_envelope_has_them() -> None:
    outer: Json = {"datasetVersion": "7", "origin": "curated"}
    bare = read_record(Document("d", "/records/0", record(), outer), "data")
    own = read_record(Document("d", "/records/1", {**envelope(), "origin": "mined"}, outer), "data")
    assert bare.record is not None
    assert own.record is not None
    assert (bare.version, bare.record.origin) == ("7", "curated")
    assert (own.version, own.record.origin) == ("2026-02-01T00:00:00Z", "mined")


def test_a_value_nested_too_deeply_is_one_fault_at_the_first_level_beyond_the_limit() -> None:
    nested: object = "bottom"
    for _ in range(150):
        nested = [nested]
    reason = "is nested more than 100 levels deep"
    assert faults(record(extra=nested)) == [("/extra" + "/0" * 100, reason)]


def test_timestamps_with_and_without_offset_are_comparable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    assert read_timestamp("2026-08-28T11:52:41.083Z") == read_timestamp("2026-08-28T13:52:41.083+02:00")
    assert read_timestamp("2026-08-28T11:52:41") == read_timestamp("2026-08-28T11:52:41+00:00")
    monkeypatch.undo()
    time.tzset()
    assert read(record(analyzedAt=...)).analyzed == -math.inf


TEXT = st.text(st.characters(exclude_categories=()))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(record())), JSON), st.dictionaries(TEXT, JSON))
def test_any_json_gives_a_record_equal_to_it_or_faults(known: Fields, unknown: Fields) -> None:
    fields = {**unknown, **record(), **known}
    reading = read(fields)
    assert (reading.record is None) == bool(reading.faults)
    if reading.record is not None:
        assert reading.record.fields == fields
        assert json.loads(json.dumps(reading.record.fields, ensure_ascii=False, allow_nan=False).encode()) == fields
