"""Decides how far a match is believed.

- `exact`: the whole message is explained, the class agrees, and the raise site agrees or no other record explains it.
- `likely`: the message is explained and nothing contradicts; or the rest of a truncated message is long and specific,
  and class or site agrees.
- `possible`: some evidence.

A cause is believed no more than the exception that followed it: a traceback often shows which exception was being
handled when a package raised another one. If that other exception is unknown, so is what ended the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whyraise.matching.evidence import Judgement
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.source_paths import is_installed, site_of

if TYPE_CHECKING:
    from whyraise.matching.evidence import Confidence

# Characters of its own text that a wording needs to be likely without class or site: if it is the whole message, and
# if it is a part of one.
_SPECIFIC, _SPECIFIC_WITHIN = 18, 48
# Characters that the rest of a truncated message needs: if class or site agrees, and if neither does.
_TRUNCATED, _TRUNCATED_ALONE = 24, 60

# Relations of an exception that led to the one after it.
_CAUSES = ("cause", "context")
# Exceptions that only end a program: they do not tell what went wrong.
_ENDS = ("SystemExit", "KeyboardInterrupt", "GeneratorExit")


def rate(judgement: Judgement, *, alone: bool) -> Confidence:
    """Return the confidence of a match. `alone`: no other record explains the message."""
    match, agreements = judgement.match, (judgement.class_agrees, judgement.site_agrees)
    if match.wording.kind == "fragment":
        enough = match.share.found >= _SPECIFIC and not match.share.truncated_side
        return "likely" if enough and ("agrees" in agreements or _package_agrees(judgement)) else "possible"
    if "differs" in agreements:
        return "possible"
    if match.share.truncated_side:
        enough = match.share.found >= (_TRUNCATED if "agrees" in agreements else _TRUNCATED_ALONE)
        return "likely" if enough else "possible"
    whole = judgement.explains_whole_message
    if whole and match.wording.kind == "site" and judgement.site_agrees == "agrees":
        return _rate_by_site(judgement)
    if whole and agreements == ("agrees", "agrees"):
        return "exact"
    specific = match.share.found >= _SPECIFIC
    if whole and judgement.class_agrees == "agrees" and alone and specific:
        return "exact"
    if whole and (specific or ("agrees" in agreements and match.share.found)):
        return "likely"
    return "likely" if match.share.found >= _SPECIFIC_WITHIN else "possible"


def _package_agrees(judgement: Judgement) -> bool:
    """Return whether the traceback has a frame of the record's package: it may have rewritten another's message."""
    package = judgement.match.wording.site.partition("/")[0] + "/"
    block = judgement.block
    return block is not None and any(site_of(frame.path).startswith(package) for frame in block.frames)


def _rate_by_site(judgement: Judgement) -> Confidence:
    """Rate a mined statement that has no text of its own and is found at its site: only class and line tell."""
    at_line = compare_site(judgement)[1]
    if judgement.class_agrees == "agrees":
        return "exact" if at_line else "likely"
    return "likely" if at_line else "possible"


def compare_site(judgement: Judgement) -> tuple[bool, bool]:
    """Return whether the raising frame has exactly the record's path, and whether it has exactly its line number."""
    wording, block = judgement.match.wording, judgement.block
    frame = block.frames[-1] if block and judgement.site_agrees == "agrees" and block.frames else None
    return (frame is not None and site_of(frame.path) == wording.site, frame is not None and frame.line == wording.line)


def cause_limits(blocks: Sequence[ExceptionBlock], best: Mapping[int, int], unknown: int) -> list[int]:
    """Return for each exception the best confidence that a finding about it can have, as an index of `CONFIDENCES`.

    `best` maps the number of an exception to the best index reached so far; `unknown` is the last index. An exception
    limits its causes if code of an installed package raised it. It does not if the user's own code raised it, which no
    record can know, or if it only wraps another exception or ends the program.
    """
    limits = [0] * len(blocks)
    for number in range(len(blocks) - 2, -1, -1):
        if blocks[number].relation in _CAUSES:
            later = blocks[number + 1]
            limits[number] = limits[number + 1]
            ends = later.wrapper or later.class_name in _ENDS
            if not ends and later.frames and is_installed(later.frames[-1].path):
                limits[number] = max(limits[number], best.get(number + 1, unknown))
    return limits
