"""Reads from torchrun's summary which rank failed first, and puts the error of that rank first."""

from __future__ import annotations

import re

from whyraise.lookup.explanation import Explanation, Finding, ranks_of

# As `torch.distributed.elastic.multiprocessing.errors.ChildFailedError` prints it.
_ROOT_CAUSE = r"Root Cause \(first observed failure\):\s*\[\d+\]:(?:\s+[a-z]+ *: .*)*?\s+rank *: (\d+)"


def root_cause_first(explanation: Explanation, text: str) -> Explanation:
    """Return an explanation in which the finding of the rank that failed first comes first.

    The errors of other ranks may only be its consequences, such as a connection that it closed. If only those are
    known, the explanation says so. A finding whose lines name no rank is taken to be of the rank that failed first.
    """
    ranks = re.findall(_ROOT_CAUSE, text)
    if not ranks or not explanation.findings:
        return explanation
    rank = int(ranks[-1])
    first, *others = sorted(explanation.findings, key=lambda finding: rank not in ranks_of(finding))
    if rank in (ranks_of(first) or [rank]):
        return explanation._replace(findings=(_on_rank(first, rank), *others))
    return explanation._replace(
        wrapper=f"torchrun reports that rank {rank} failed first; no record explains its error."
    )


def _on_rank(finding: Finding, rank: int) -> Finding:
    if ranks_of(finding):
        return finding
    return finding._replace(occurrences=tuple(occurrence._replace(rank=rank) for occurrence in finding.occurrences))
