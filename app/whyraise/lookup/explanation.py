"""The answer to a paste, in shapes that every door shows."""

from __future__ import annotations

from whyraise.matching.evidence import Evidence
from whyraise.matching.mismatch import Parting
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.paste import Span
from whyraise.records.record import DataSet, Record

if TYPE_CHECKING:
    from typing import Literal

    from whyraise.matching.evidence import Confidence

    Kind = Literal["fix", "cause"]


# A log of a day may hold a million exceptions; nobody reads more than these in one answer.
MOST_EXCEPTIONS = 100


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


class Explanation(NamedTuple):
    """The answer to a paste: what is known, what was read, and, where nothing is known, what comes near.

    `exceptions` are the last ones that were read, as many as `MOST_EXCEPTIONS`. `wrapper` is a sentence that says what
    to paste instead, where the paste shows only a wrapper. `truncated` says that more findings exist than were asked
    for, or more exceptions than are shown. `growing` are the packages, name and version, that are still being mined.
    """

    datasets: tuple[DataSet, ...]
    findings: tuple[Finding, ...]
    exceptions: tuple[ExceptionBlock, ...]
    nearest: tuple[Nearest, ...]
    wrapper: str
    truncated: bool
    growing: tuple[str, ...]


class Nearest(NamedTuple):
    """A record that comes near, where the paste and its message part, and where that stands in the pasted text."""

    record: Record
    parting: Parting
    spans: tuple[Span, ...]


def ranks_of(finding: Finding) -> list[int]:
    """Return the ranks that said a finding's message, in order."""
    return sorted({each.rank for each in finding.occurrences if each.rank is not None})
