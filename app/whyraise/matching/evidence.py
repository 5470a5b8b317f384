"""What speaks for a match: whether class and raise site agree, and the shapes in which it is said."""

from __future__ import annotations

from whyraise.matching.match import Match
from whyraise.matching.wording import Wording
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.source_paths import same_file, site_of

if TYPE_CHECKING:
    from typing import Literal

    Confidence = Literal["exact", "likely", "possible"]


CONFIDENCES: tuple[Confidence, ...] = ("exact", "likely", "possible")


class Evidence(NamedTuple):
    """One reason for a confidence: `kind` is a short name, `text` says it in words."""

    kind: str
    text: str


class Judgement(NamedTuple):
    """A match, how far it is believed, and why. `message_share` is the share of the message that it explains."""

    match: Match
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    block: ExceptionBlock | None
    class_agrees: Agreement
    site_agrees: Agreement
    message_share: float


if TYPE_CHECKING:
    Agreement = Literal["agrees", "unknown", "differs"]


def class_agreement(known: str | None, pasted: str) -> Agreement:
    """Compare the bare names of a record's class and a pasted one."""
    if not known or not pasted:
        return "unknown"
    return "agrees" if known.rpartition(".")[2] == pasted.rpartition(".")[2] else "differs"


def site_agreement(wording: Wording, block: ExceptionBlock | None) -> Agreement:
    """Compare the raising frame's path tail and function with the record's.

    Code in other languages has no frame, but it raised nothing where a statement of Python did. What is written anew
    into an exception is raised anywhere.
    """
    if not block or not block.frames or wording.kind == "rewritten":
        return "unknown"
    if not wording.site.endswith((".py", ".pyx", ".pxi")):
        return "differs" if wording.site and block.by_statement else "unknown"
    frame = block.frames[-1]
    if not frame.path and frame.function == wording.function:
        return "unknown"
    if same_file(site_of(frame.path), wording.site) and wording.function in ("", frame.function.rpartition(".")[2]):
        return "agrees"
    return "differs"
