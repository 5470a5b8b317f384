"""What torchrun's summary says of a failed run: which rank failed first."""

from __future__ import annotations

import re

from whyraise.lookup.explanation import Explanation, Finding, ranks_of

# As `torch.distributed.elastic.multiprocessing.errors.ChildFailedError` prints it.
_ROOT_CAUSE = r"Root Cause \(first observed failure\):\s*\[\d+\]:(?:\s+[a-z]+ *: .*)*?\s+rank *: (\d+)"


def root_cause_first(answer: Explanation, text: str) -> Explanation:
    """Return an explanation in which what the first failing rank said comes first.

    The other ranks' errors may be only its echo, such as a connection that it closed; where nothing else is known, the
    answer says so. Where no line of the text names its rank, the finding is the first failing rank's.
    """
    found = re.findall(_ROOT_CAUSE, text)
    if not found or not answer.findings:
        return answer
    rank = int(found[-1])
    first, *others = sorted(answer.findings, key=lambda each: rank not in ranks_of(each))
    if rank in (ranks_of(first) or [rank]):
        return answer._replace(findings=(_said_by(first, rank), *others))
    return answer._replace(wrapper=f"Rank {rank} failed first, says torchrun, and nothing is known of what it said.")


def _said_by(finding: Finding, rank: int) -> Finding:
    if ranks_of(finding):
        return finding
    return finding._replace(occurrences=tuple(each._replace(rank=rank) for each in finding.occurrences))
