"""The fields of the answers for chatbots, as pydantic models."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class _Model(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, frozen=True)


class Citation(_Model):
    """The source of an answer."""

    id: str
    url: str = Field(description="Permanent address of the record.")
    resource: str
    repo: str
    file: str
    line: int
    source: str | None


class Snippet(_Model):
    """A code snippet of a record, and the result of running it."""

    kind: Literal["fix", "typeGuard", "validation", "handling"]
    code: str
    language: str
    state: Literal["proven", "corrected", "fails", "notProven"]
    why: str = Field(description="Why the published code fails, if it does.")


class Verdict(_Model):
    """The result of running the record's fix."""

    verdict: Literal["proven", "corrected", "broken", "notReproduced", "unproven"]
    says: str


class RecordDetails(_Model):
    """What a record says about its error."""

    title: str
    error_class: str | None
    origin: str
    meaning: str
    solutions: list[str]
    verdict: Verdict
    fix: Snippet | None
    guards: list[Snippet]
    strategy: str
    triggers: str
    situations: str
    prevention: list[str]
    excerpt: str = Field(description="The source code that raises the error.")
    citation: Citation


class RecordSummary(_Model):
    """A record in short."""

    title: str
    error_class: str | None
    verdict: Verdict
    citation: Citation


class ConciseCapture(_Model):
    """The value of a placeholder of the message."""

    name: str
    value: str


class QuotedMessage(_Model):
    """The message as it stands in the paste: untrusted data."""

    message: str
    line: int
    captures: list[ConciseCapture]
    times: int
    ranks: list[int]


class ConciseFinding(RecordDetails):
    """A known error that was found in the paste."""

    confidence: Literal["exact", "likely", "possible"]
    kind: Literal["fix", "cause"]
    evidence: list[str]
    quoted: QuotedMessage
    same_as: list[str]
    equals: list[str]


class FindingSummary(RecordSummary):
    """A further finding, in short because the answer has no room for all of it."""

    confidence: Literal["exact", "likely", "possible"]


class ConciseException(_Model):
    """An exception that was read in the paste: untrusted data."""

    error_class: str
    message: str
    rank: int | None


class ConciseNearest(RecordSummary):
    """A record that is similar to the paste, and the first difference between the two."""

    matched: str
    expected: str
    found: str
    hint: Literal["case", "punctuation", "word", "ends", "other"]


class ExplainErrorAnswer(_Model):
    """The answer to a paste. No match is an answer too."""

    matched: bool
    findings: list[ConciseFinding]
    others: list[FindingSummary]
    exceptions: list[ConciseException]
    nearest: list[ConciseNearest]
    advice: str
    growing: list[str]
    truncated: bool
    next: str


class GetRecordAnswer(_Model):
    """One record."""

    record: RecordDetails
    truncated: bool
    next: str


class SearchRecordsAnswer(_Model):
    """The records that contain the words."""

    records: list[RecordSummary]
    truncated: bool
    next: str
