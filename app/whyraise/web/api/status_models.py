"""Describes the answers of `whyraise.web.api.status`: data sets, limits, health and version."""

from __future__ import annotations

from whyraise.web.api.models import ApiModel, DataSet


class SetAside(ApiModel):
    """A fault of a record: its file, a JSON pointer into the file, and the reason."""

    file: str
    pointer: str
    reason: str


class Unmatched(ApiModel):
    """A record that is served by id but that no text can match, and the reason."""

    id: str
    reason: str


class DataSets(ApiModel):
    """The data sets that are served, and the records that are not served or not matched, with the reasons."""

    digest: str
    datasets: list[DataSet]
    records: int
    set_aside: list[SetAside]
    notes: list[SetAside]
    unmatched: list[Unmatched]


class Limits(ApiModel):
    """The limits on requests and answers."""

    max_body_bytes: int
    max_batch_texts: int
    max_tool_bytes: int
    large_paste_bytes: int
    large_paste_queue: int
    max_findings: int


class Ready(ApiModel):
    """Whether records can be looked up, and how many faults of records there are."""

    ready: bool
    records: int
    set_aside: int
    reasons: list[str]


class Alive(ApiModel):
    """The answer of a running process."""

    alive: bool


class Version(ApiModel):
    """The version of the service and the digest of its records."""

    version: str
    digest: str
