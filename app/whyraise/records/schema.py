"""Validate published records (schema version 2): turn JSON into a `Record` or a list of faults."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from whyraise.names import bare_name
from whyraise.records.documents import Document
from whyraise.records.excerpt import enclosing_function
from whyraise.records.record import Fault, Json, Record
from whyraise.records.strict_json import defects, escape
from whyraise.safe_text import ASCII_CONTROLS
from whyraise.source_paths import site_of

VERSION = 2

# The knowledge file stores line numbers as 64-bit integers, and browsers as doubles, which are exact up to this number.
_MAX_LINE = 2**53 - 1


def _check_timestamp(value: object) -> object:
    if isinstance(value, str):
        read_timestamp(value)
    return value


# Ids, repositories and slugs are parts of URL paths.
_WORD = rf"[^\s/{ASCII_CONTROLS}]+"
Word = Annotated[str, Field(min_length=1, max_length=300, pattern=f"^{_WORD}$")]
Repository = Annotated[str, Field(max_length=300, pattern=f"^{_WORD}/{_WORD}$")]
Line = Annotated[int, Field(ge=0, le=_MAX_LINE)]
Timestamp = Annotated[str, BeforeValidator(_check_timestamp)]


class _Published(BaseModel):
    """Base of the published models: types are not converted, and unknown keys are kept."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="allow", alias_generator=to_camel, serialize_by_alias=True
    )


class PublishedRecord(_Published):
    """A published record, schema version 2."""

    id: Word
    repo: Repository
    slug: Word
    error_code: str | None = None
    error_message: str
    message_pattern: str
    error_type: str
    error_class: str | None = None
    http_status: Annotated[int, Field(ge=100, le=599)] | None = None
    severity: str
    file_path: str
    line_number: Line
    source_code: str | None = None
    source_code_start: Line | None = None
    source_code_end: Line | None = None
    github_url: str | None = None
    documentation: str | None = None
    trigger_scenarios: str | None = None
    common_situations: str | None = None
    solutions: list[str] = []
    example_fix: str | None = None
    handling_strategy: str | None = None
    validation_code: str | None = None
    type_guard: str | None = None
    try_catch_pattern: str | None = None
    prevention_tips: list[str] = []
    tags: list[str] = []
    background_tag: str | None = None
    analyzed_sha: str | None = None
    analyzed_at: Timestamp | None = None
    schema_version: int = VERSION


class RaiseSite(_Published):
    """The raise site of a record's error, as given by its envelope."""

    function: str | None = None


class Envelope(_Published):
    """A record with its publisher's metadata."""

    record: PublishedRecord
    dataset_version: str | None = None
    origin: Literal["curated", "published", "mined"] = "published"
    site: RaiseSite | None = None


class Reading(NamedTuple):
    """The result of reading one document: a record or its faults, and notes, which do not make it invalid.

    `version` is the version of the data set, as given by the envelope; `analyzed` is `analyzedAt` in seconds since
    1970, minus infinity if the record has none.
    """

    record: Record | None
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    version: str = ""
    analyzed: float = -math.inf


def read_record(document: Document, dataset: str) -> Reading:
    """Validate one envelope or bare record of a data set; all its faults are reported at once."""
    value: Any = document.value
    bare = is_bare(document)
    envelope: Any = {**document.envelope, **({"record": value} if bare else value)}
    faults = {document.pointer + pointer: reason for pointer, reason in defects(value)}
    try:
        checked = Envelope.model_validate(envelope)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            faults.setdefault(document.pointer + _pointer(detail, bare), _reason(detail))
    if faults:
        return Reading(None, tuple(Fault(document.file, pointer, reason) for pointer, reason in faults.items()))
    analyzed_at = checked.record.analyzed_at
    return Reading(
        record=_record(checked, envelope, dataset, document.side_files),
        notes=_version_notes(checked.record, document),
        version=checked.dataset_version or "",
        analyzed=read_timestamp(analyzed_at) if analyzed_at else -math.inf,
    )


def is_bare(document: Document) -> bool:
    """Return whether a document is a record without an envelope."""
    value = document.value
    return not isinstance(value, Mapping) or "record" not in value or "messagePattern" in value


def pointer_to_record(document: Document) -> str:
    """Return the JSON pointer to the record in a document."""
    return document.pointer if is_bare(document) else f"{document.pointer}/record"


def _record(checked: Envelope, envelope: Json, dataset: str, side_files: Json) -> Record:
    published, fields = checked.record, envelope["record"]
    beside = {key: value for key, value in envelope.items() if key not in ("record", "datasetVersion", "origin")}
    return Record(
        id=published.id,
        repo=published.repo,
        slug=published.slug,
        error_message=published.error_message,
        message_pattern=published.message_pattern,
        error_class=published.error_class,
        severity=published.severity,
        tags=tuple(published.tags),
        site=site_of(published.file_path),
        function=_function(checked),
        line=published.line_number,
        dataset=dataset,
        origin=checked.origin,
        fields=fields,  # type: ignore[arg-type]  # the validation has checked that it is an object
        beside={**beside, **side_files},
    )


def _function(checked: Envelope) -> str:
    if checked.site and checked.site.function:
        return bare_name(checked.site.function)
    record = checked.record
    if not record.source_code or record.source_code_start is None:
        return ""
    return enclosing_function(record.file_path, record.source_code, record.source_code_start, record.line_number)


def _version_notes(record: PublishedRecord, document: Document) -> tuple[Fault, ...]:
    if record.schema_version == VERSION and "schema_version" in record.model_fields_set:
        return ()
    has_version = "schema_version" in record.model_fields_set
    problem = f"is {record.schema_version}" if has_version else "is missing"
    pointer = f"{pointer_to_record(document)}/schemaVersion"
    return (Fault(document.file, pointer, f"{problem}; the record is valid as version {VERSION} and was read as such"),)


def read_timestamp(text: str) -> float:
    """Return an ISO 8601 date and time in seconds since 1970; without an offset it is UTC.

    Raises `ValueError` if the text is not a date and time.
    """
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


_EXPECTED = {
    "string_type": "a string",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "list_type": "an array",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
_JSON_TYPES = {
    dict: "an object", list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"
}  # fmt: skip


def _pointer(detail: ErrorDetails, bare: bool) -> str:
    parts = detail["loc"][1:] if bare and detail["loc"][:1] == ("record",) else detail["loc"]
    return "".join(f"/{escape(str(part))}" for part in parts)


def _reason(detail: ErrorDetails) -> str:
    """Describe what is wrong, without quoting the value, which may be long."""
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return "is missing"
    if kind in _EXPECTED:
        actual = "null" if value is None else _JSON_TYPES.get(type(value), "an object")
        return f"is {actual}; it must be {_EXPECTED[kind]}"
    if kind == "string_pattern_mismatch":
        if detail["loc"][-1] == "repo":
            return "must be owner/name, without spaces, control characters or further slashes"
        return "must be one word, without spaces, control characters or slashes"
    if kind == "value_error":
        return "is not an ISO 8601 date and time"
    return detail["msg"][:1].lower() + detail["msg"][1:]
