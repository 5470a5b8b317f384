"""The use case: a pasted text in, the known errors behind it out."""

from __future__ import annotations

from typing import Literal, NamedTuple

from whyraise.exceptions import ExceptionBlock
from whyraise.paste import Span
from whyraise.record import DataSet, Record

Confidence = Literal["exact", "likely", "possible"]
Kind = Literal["fix", "cause"]


class Capture(NamedTuple):
    """What a placeholder of the message stood for: its source text, the value pasted, and where that stands."""

    name: str
    value: str
    spans: tuple[Span, ...]


class Occurrence(NamedTuple):
    """One place in the paste where the finding's message stands; `line` counts from 1 in the pasted text."""

    line: int
    spans: tuple[Span, ...]
    rank: int | None


class Evidence(NamedTuple):
    """One reason for a finding's confidence: `kind` is a short name, `text` says it in words."""

    kind: str
    text: str


class Finding(NamedTuple):
    """One known error found in a paste. All spans are code points of the text as pasted.

    `same_as` holds the ids of further records of the same raise site and pattern. `equals` holds the ids of the
    other findings that the paste does not tell apart from this one.
    """

    record: Record
    confidence: Confidence
    kind: Kind
    evidence: tuple[Evidence, ...]
    message: str
    line: int
    spans: tuple[Span, ...]
    captures: tuple[Capture, ...]
    occurrences: tuple[Occurrence, ...]
    exception: ExceptionBlock | None
    same_as: tuple[str, ...]
    equals: tuple[str, ...]


class Parting(NamedTuple):
    """Where a text and a record's message part: the words they share, then what each says next."""

    matched: str
    expected: str
    found: str
    spans: tuple[Span, ...]


class Nearest(NamedTuple):
    """A record that comes near, and where the paste and its message part."""

    record: Record
    parting: Parting


class Explanation(NamedTuple):
    """The answer to a paste: what is known, what was read, and, where nothing is known, what comes near.

    `wrapper` is a sentence that says what to paste instead, where the paste shows only a wrapper. `truncated` says
    that more findings exist than were asked for.
    """

    datasets: tuple[DataSet, ...]
    findings: tuple[Finding, ...]
    exceptions: tuple[ExceptionBlock, ...]
    nearest: tuple[Nearest, ...]
    wrapper: str
    truncated: bool
