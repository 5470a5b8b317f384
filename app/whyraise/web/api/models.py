"""Describes requests and answers about errors, records and tools: requests are validated, answers only documented."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic.alias_generators import to_camel

Confidence = Literal["exact", "likely", "possible"]
Published = Annotated[dict[str, Any], Field(description="The record as it was published, with all its fields.")]


class ApiModel(BaseModel):
    """The base of all bodies: their fields are in camelCase in JSON."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class _Request(ApiModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Paste(_Request):
    """A pasted text."""

    text: str = Field(description="The pasted text: an error message, a traceback or a log.")


class Pastes(_Request):
    """Several pasted texts."""

    texts: list[str] = Field(min_length=1, description="The texts; each gets an answer of its own.")


class DiagnoseRequest(_Request):
    """A pasted text and the record that it should match."""

    text: str = Field(description="The text that does not match.", examples=["TypeError: Blocking backward sync is"])
    id: str = Field(description="The record's id.", examples=["75efde825de8eed0"])


class Span(ApiModel):
    """A range of the pasted text; `end` is exclusive."""

    start: int
    end: int


class DataSet(ApiModel):
    """A data set that was searched."""

    name: str
    version: str
    records: int
    digest: str


class Evidence(ApiModel):
    """One reason for the confidence of a finding."""

    kind: str
    text: str


class Capture(ApiModel):
    """The value of a placeholder in the message."""

    name: str
    value: str
    spans: list[Span]


class Occurrence(ApiModel):
    """One place in the paste where the message occurs."""

    line: int
    spans: list[Span]
    rank: int | None


class Frame(ApiModel):
    """A stack frame."""

    file: str
    line: int | None
    function: str


class ReadException(ApiModel):
    """An exception in the paste."""

    class_: str = Field(alias="class")
    message: str
    relation: Literal["raised", "cause", "context", "group", "worker", "remote"]
    rank: int | None
    wrapper: bool
    frames: list[Frame]


class Advice(ApiModel):
    """One thing to do about an error: what to do, code that does it, how it was found, and where it is from."""

    text: str
    code: str | None
    kind: Literal["curated", "migration", "computed", "said", "derived", "example", "lookAt"]
    proof: str | None
    source: str


class AdvisedException(ReadException):
    """An exception in the paste, with what to do about it if no finding says so."""

    advice: list[Advice]


class RecordAnswer(ApiModel):
    """A record with its data set, its origin and its links."""

    model_config = ConfigDict(extra="allow")
    record: Published
    dataset: str
    origin: Literal["curated", "published", "mined"]
    links: dict[str, str]


class Finding(RecordAnswer):
    """A known error that was found in the paste."""

    confidence: Confidence
    kind: Literal["fix", "cause"]
    evidence: list[Evidence]
    message: str
    line: int
    spans: list[Span]
    captures: list[Capture]
    occurrences: list[Occurrence]
    exception: ReadException | None
    same_as: list[str]
    equals: list[str]
    own_source: str | None
    advice: list[Advice]


class Parting(ApiModel):
    """The first difference between a text and a record's message."""

    segment: int
    matched: str
    expected: str
    found: str
    hint: Literal["case", "punctuation", "word", "ends", "other"]
    spans: list[Span]


class Near(RecordAnswer):
    """A record that almost matches, and the first difference."""

    parting: Parting


class Explanation(ApiModel):
    """The answer to a paste; it may have no findings."""

    datasets: list[DataSet]
    findings: list[Finding]
    exceptions: list[AdvisedException]
    nearest: list[Near]
    wrapper: str
    truncated: bool
    growing: list[str]
    muted: int


class Explanations(ApiModel):
    """The answers to several pastes, in the order of the pastes."""

    answers: list[Explanation]


class Diagnosis(ApiModel):
    """Whether a text matches a record, and if not, why."""

    id: str
    matches: bool
    reason: str
    parting: Parting | None


class Records(ApiModel):
    """One page of records; `next` is the cursor of the next page, or null on the last page."""

    records: list[RecordAnswer]
    next: str | None


class Ids(ApiModel):
    """The records that share a slug."""

    ids: list[str]


class Arguments(RootModel[dict[str, Any]]):
    """The arguments of a tool call."""

    model_config = ConfigDict(hide_input_in_errors=True)


_Data = TypeVar("_Data")


class ToolAnswer(ApiModel, Generic[_Data]):
    """The answer of a tool, as Markdown for models that read text, and as structured data."""

    content: str
    structured: _Data


class Tools(ApiModel):
    """The tools, declared in the format of one model API."""

    tools: list[dict[str, Any]]
