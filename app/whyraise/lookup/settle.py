"""Decides where a message ends if only a record can tell: at the place up to which the best finding explains it."""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.matching.evidence import Judgement
from whyraise.matching.match import Match
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.reading.paste import Paste, Span


def settle_messages(pasted: Paste, reading: Reading, judged: Sequence[Judgement]) -> tuple[Reading, list[Judgement]]:
    """Return the reading and the judgements with each message as its best finding explains it."""
    ends: dict[int, int] = {}
    for judgement in judged:
        block = judgement.block
        if block and len(block.ends) > 1 and judgement.explains_whole_message and judgement.confidence != "possible":
            ends.setdefault(id(block), _end(block, judgement.match))
    changed = {
        id(block): block._replace(span=Span(block.span.start, end), message=pasted.text[block.span.start : end])
        for block in reading.blocks
        if (end := ends.get(id(block), block.span.end)) != block.span.end
    }
    if not changed:
        return reading, list(judged)
    blocks = tuple(changed.get(id(block), block) for block in reading.blocks)
    settled = [judgement._replace(block=changed.get(id(judgement.block), judgement.block)) for judgement in judged]
    return reading._replace(blocks=blocks), settled


def _end(block: ExceptionBlock, match: Match) -> int:
    """Return the first place at or after the end of a match where the message may end.

    A placeholder at the end of a wording says nothing about the end of a message: then the message is not shortened.
    """
    end = min((end for end in block.ends if end >= match.span.end), default=block.span.end)
    chain = match.wording.chain
    return max(end, block.span.end) if chain is None or chain.gaps[-1] else end
