"""The shapes of the answer to a paste, which every interface and output format shows."""

from __future__ import annotations

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    from whyraise.matching.evidence import Confidence, Evidence
    from whyraise.matching.mismatch import Mismatch
    from whyraise.reading.exceptions import ExceptionBlock
    from whyraise.reading.paste import Span
    from whyraise.records.record import DataSet, Record

    Kind = Literal["fix", "cause"]


# A log of a day may contain a million exceptions; nobody reads more than these in one answer.
MOST_EXCEPTIONS = 100


class Capture(NamedTuple):
    """A placeholder of the message: its source text, the pasted value, and where that value is."""

    name: str
    value: str
    spans: tuple[Span, ...]


class Occurrence(NamedTuple):
    """One place of the finding's message in the paste; `line` counts from 1 in the pasted text."""

    line: int
    spans: tuple[Span, ...]
    rank: int | None


class Advice(NamedTuple):
    """One thing to do about an error: what to do, code that does it (may be empty), and where that knowledge is from.

    `kind` says how it was found, such as `curated`. `proof` says whether the code was run, empty if nothing is claimed.
    """

    text: str
    code: str
    kind: str
    proof: str
    source: str


class Finding(NamedTuple):
    """One known error found in a paste. All spans are code points of the text as pasted.

    `own_source` names where a record of the user's own comes from, and is empty for others. `advice` is what to do,
    best first. `same_as` contains the ids of other records of the same raise site and pattern. `equals` contains the
    ids of other findings that the paste does not tell apart from this one.
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
    own_source: str = ""
    advice: tuple[Advice, ...] = ()


class Explanation(NamedTuple):
    """The answer to a paste: the findings, the exceptions in the paste, and, if nothing is known, the nearest records.

    `exceptions` are the last ones in the paste, at most `MOST_EXCEPTIONS`. `wrapper` is a sentence about what to paste
    instead, if the paste shows only a wrapper. `truncated` is true if there are more findings than the limit, or more
    exceptions than are shown. `growing` are the packages, name and version, that are still being mined. `muted` is the
    number of findings that the user muted. `server` is the URL of the server that answered, if one was asked.
    `exceptions_advice` is what to do about each of `exceptions` that no finding is about.
    """

    datasets: tuple[DataSet, ...]
    findings: tuple[Finding, ...]
    exceptions: tuple[ExceptionBlock, ...]
    nearest: tuple[Nearest, ...]
    wrapper: str
    truncated: bool
    growing: tuple[str, ...]
    muted: int = 0
    server: str = ""
    exceptions_advice: tuple[tuple[Advice, ...], ...] = ()


class Nearest(NamedTuple):
    """A similar record, the first difference between its message and the paste, and where that is in the paste."""

    record: Record
    parting: Mismatch
    spans: tuple[Span, ...]


def ranks_of(finding: Finding) -> list[int]:
    """Return the ranks that printed a finding's message, in order."""
    return sorted({occurrence.rank for occurrence in finding.occurrences if occurrence.rank is not None})
