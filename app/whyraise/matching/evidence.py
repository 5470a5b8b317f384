"""Collects the evidence for a match: does the class agree, does the raise site agree, how much of the message matches.

The same evidence in words is what users read behind a confidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.matching.match import Match
from whyraise.matching.wording import Wording
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.names import bare_name
from whyraise.patterns.chain import squeeze
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.source_paths import same_file, site_of

if TYPE_CHECKING:
    from typing import Literal

    Confidence = Literal["exact", "likely", "possible"]


# Best first.
CONFIDENCES: tuple[Confidence, ...] = ("exact", "likely", "possible")
# From this share on a message counts as explained whole: the rest is a quote mark or a full stop.
_WHOLE = 0.97
# Characters that people put around a message when they quote it.
_QUOTES = " \t\r\n`'\"*_“”‘’«»()[]<>.,:;!"


class Evidence(NamedTuple):
    """One reason for a confidence: `kind` is a short name, `text` says it in words."""

    kind: str
    text: str


class Judgement(NamedTuple):
    """A match, its confidence and the reasons. `message_share` is the share of the message that the match explains."""

    match: Match
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    block: ExceptionBlock | None
    class_agrees: Agreement
    site_agrees: Agreement
    message_share: float

    @property
    def explains_whole_message(self) -> bool:
        """Whether the match explains the message to the end."""
        return self.message_share >= _WHOLE


if TYPE_CHECKING:
    Agreement = Literal["agrees", "unknown", "differs"]


LATER_EXCEPTION_UNKNOWN = Evidence("chain", "a package raised another exception after it, and less is known about that")


def compare(match: Match, reading: Reading) -> Judgement:
    """Compare a match with its exception. The confidence is not decided yet: it is `possible`, without reasons."""
    block = _block_of(match, reading.blocks)
    return Judgement(
        match,
        "possible",
        (),
        block,
        _class_agreement(match.wording.error_class, block.class_name if block else ""),
        _site_agreement(match.wording, block),
        _message_share(match, block),
    )


def _block_of(match: Match, blocks: Sequence[ExceptionBlock]) -> ExceptionBlock | None:
    """Return the exception whose message the match is, or begins in: a message may continue after an empty line."""
    if match.region.block is not None:
        return blocks[match.region.block]
    start = match.span.start
    return next((block for block in blocks if block.span.start <= start < block.span.end), None)


def _class_agreement(known: str | None, pasted: str) -> Agreement:
    """Compare the record's class and the pasted class by their names without modules."""
    if not known or not pasted:
        return "unknown"
    return "agrees" if bare_name(known) == bare_name(pasted) else "differs"


def _site_agreement(wording: Wording, block: ExceptionBlock | None) -> Agreement:
    """Compare the end of the raising frame's path, and its function, with the record's.

    Code in other languages has no frame; but if a Python statement raised the exception, other code did not. A
    rewritten wording is put into exceptions that are raised anywhere, so its site is unknown.
    """
    if not block or not block.frames or wording.kind == "rewritten":
        return "unknown"
    if not wording.site.endswith((".py", ".pyx", ".pxi")):
        return "differs" if wording.site and block.by_statement else "unknown"
    frame = block.frames[-1]
    if not frame.path and frame.function == wording.function:
        return "unknown"
    if same_file(site_of(frame.path), wording.site) and wording.function in ("", bare_name(frame.function)):
        return "agrees"
    return "differs"


def _message_share(match: Match, block: ExceptionBlock | None) -> float:
    """Return how much of its message a match explains. Outside of exceptions the message is the lines of the match."""
    region, text = match.region, match.region.text
    start, end = match.span.start - region.start, match.span.end - region.start
    first, last = 0, len(text)
    if region.block is None:
        first = block.span.start - region.start if block else text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", end)
        last = line_end if line_end >= 0 else last
    elif block:
        last = min((place - region.start for place in block.ends if end <= place - region.start < last), default=last)
    whole = len(squeeze(text[max(first, 0) : last].strip(_QUOTES)))
    return len(squeeze(text[start:end].strip(_QUOTES))) / whole if whole else 0.0


def reasons(judgement: Judgement, *, alone: bool) -> tuple[Evidence, ...]:
    """Return the evidence for a match in words. `alone`: no other record explains the message."""
    wording, block = judgement.match.wording, judgement.block
    found = [Evidence("message", _message_words(judgement.match))]
    if judgement.class_agrees == "agrees" and block:
        found.append(Evidence("class", f"class {block.class_name}"))
    if judgement.class_agrees == "differs" and block:
        found.append(Evidence("class", f"class {block.class_name}, the record says {wording.error_class}"))
    if judgement.site_agrees == "agrees":
        found.append(Evidence("site", f"raised in `{wording.site}`, which is in your traceback"))
    if judgement.site_agrees == "differs":
        found.append(Evidence("site", f"the record is raised in `{wording.site}`, your traceback ends elsewhere"))
    if judgement.match.region.echo:
        found.append(Evidence("echo", "found in a source line that the traceback quotes"))
    if alone and judgement.explains_whole_message:
        found.append(Evidence("alone", "no other record explains this message"))
    return tuple(found)


def _message_words(match: Match) -> str:
    share = match.share
    if not share.wanted:
        return "the record's message has no fixed text"
    if share.found == share.wanted:
        return f"all {share.wanted} characters of its text"
    side = "starts" if share.truncated_side == "head" else "ends"
    return f"{share.found} of the {share.wanted} characters of its text; the paste {side} there"
