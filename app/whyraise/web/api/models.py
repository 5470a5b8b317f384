"""The shapes of requests and answers, for reading the ones and for the contract of the others."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic.alias_generators import to_camel

Confidence = Literal["exact", "likely", "possible"]
Published = Annotated[dict[str, Any], Field(description="The record as it was published, field for field.")]


class _Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class _Request(_Shape):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Paste(_Request):
    """A pasted text."""

    text: str = Field(description="Any error as it was pasted: a line, a traceback, a log.")


class Pastes(_Request):
    """Several pasted texts."""

    texts: list[str] = Field(min_length=1, description="The texts, each answered on its own.")


class DiagnoseRequest(_Request):
    """A pasted text and the record that it should match."""

    text: str = Field(description="The text that does not match.", examples=["TypeError: Blocking backward sync is"])
    id: str = Field(description="The record's id.", examples=["75efde825de8eed0"])


class Span(_Shape):
    """A half-open range of the pasted text."""

    start: int
    end: int


class DataSet(_Shape):
    """A data set that was searched."""

    name: str
    version: str
    records: int
    digest: str


class Evidence(_Shape):
    """One reason for a confidence."""

    kind: str
    text: str


class Capture(_Shape):
    """What a placeholder of the message stood for."""

    name: str
    value: str
    spans: list[Span]


class Occurrence(_Shape):
    """One place where the message stands."""

    line: int
    spans: list[Span]
    rank: int | None


class Frame(_Shape):
    """One line of a traceback."""

    file: str
    line: int | None
    function: str


class ReadException(_Shape):
    """An exception that was read in the paste."""

    class_: str = Field(alias="class")
    message: str
    relation: Literal["raised", "cause", "context", "group", "worker", "remote"]
    rank: int | None
    wrapper: bool
    frames: list[Frame]


class RecordAnswer(_Shape):
    """A record, the data set it comes from, and what lies beside it."""

    model_config = ConfigDict(extra="allow")
    record: Published
    dataset: str
    origin: Literal["curated", "published", "mined"]
    links: dict[str, str]


class Finding(RecordAnswer):
    """A known error that was found."""

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


class Parting(_Shape):
    """Where a text and a record's message part."""

    segment: int
    matched: str
    expected: str
    found: str
    hint: Literal["case", "punctuation", "word", "ends", "other"]
    spans: list[Span]


class Near(RecordAnswer):
    """A record that comes near."""

    parting: Parting


class Explanation(_Shape):
    """The answer to a paste. No finding is an answer too."""

    datasets: list[DataSet]
    findings: list[Finding]
    exceptions: list[ReadException]
    nearest: list[Near]
    wrapper: str
    truncated: bool
    growing: list[str]


class Explanations(_Shape):
    """The answers to several pastes, in their order."""

    answers: list[Explanation]


class Diagnosis(_Shape):
    """Why a text does not match a record."""

    id: str
    matches: bool
    reason: str
    parting: Parting | None


class Records(_Shape):
    """One page of records; `next` asks for the following page, and is null on the last."""

    records: list[RecordAnswer]
    next: str | None


class Ids(_Shape):
    """The records that share a slug."""

    ids: list[str]


class SetAside(_Shape):
    """Something that is wrong with a record: its file, where in it, and what."""

    file: str
    pointer: str
    reason: str


class Unmatched(_Shape):
    """A record that is served but cannot be found in a text."""

    id: str
    reason: str


class DataSets(_Shape):
    """What is served, what was set aside and why."""

    digest: str
    datasets: list[DataSet]
    records: int
    set_aside: list[SetAside]
    notes: list[SetAside]
    unmatched: list[Unmatched]


class Arguments(RootModel[dict[str, Any]]):
    """What a tool is called with."""

    model_config = ConfigDict(hide_input_in_errors=True)


_Gives = TypeVar("_Gives")


class ToolAnswer(_Shape, Generic[_Gives]):
    """What a tool answers: Markdown for a model that reads text, and the same as data."""

    content: str
    structured: _Gives


class Tools(_Shape):
    """The tools, declared for one interface."""

    tools: list[dict[str, Any]]


class Limits(_Shape):
    """What is accepted and returned at the most."""

    max_body_bytes: int
    max_batch_texts: int
    max_tool_bytes: int
    large_paste_bytes: int
    large_paste_queue: int
    max_findings: int


class Ready(_Shape):
    """Whether records can be looked up, and how many were set aside."""

    ready: bool
    records: int
    set_aside: int
    reasons: list[str]


class Alive(_Shape):
    """That the process answers."""

    alive: bool


class Version(_Shape):
    """What runs here."""

    version: str
    digest: str
