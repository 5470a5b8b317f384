"""Answers a text: the one way from a text to an answer, whichever interface was asked."""

from __future__ import annotations

from whyraise.lookup.explain import Analysis, analyse, explain_analysis
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyraise.ask.knowledge import Knowledge
    from whyraise.knowledge.catalog import Catalog
    from whyraise.lookup.explanation import Explanation
    from whyraise.matching.evidence import Confidence


class Answer(NamedTuple):
    """The answer to a text, with the text as it was read and the catalog that was looked up in."""

    explanation: Explanation
    analysis: Analysis
    catalog: Catalog


def answer(text: str, knowledge: Knowledge, *, limit: int = 0, min_confidence: Confidence | None = None) -> Explanation:
    """Explain a text with all that this machine knows.

    `limit` is the maximum number of findings, 0 for the number in the settings. Without `min_confidence`, findings
    that are only possible are returned only if nothing better is found.
    """
    return answer_with_analysis(text, knowledge, limit=limit, min_confidence=min_confidence).explanation


def answer_with_analysis(
    text: str, knowledge: Knowledge, *, limit: int = 0, min_confidence: Confidence | None = None
) -> Answer:
    """Explain a text as `answer` does, for callers that also show the text as it was read."""
    found = _look_up(text, knowledge, knowledge.catalog(), limit, min_confidence)
    mined = knowledge.mine_frames(found.explanation)
    if mined:
        found = _look_up(text, knowledge, mined, limit, min_confidence)
    return found._replace(explanation=_advised(found.explanation))


def answer_stream(
    chunks: Iterable[str], knowledge: Knowledge, *, limit: int = 0, min_confidence: Confidence | None = None
) -> Explanation:
    """Explain a log of any size that comes in chunks, window by window.

    Packages that are not mined yet are left out: a log names more of them than can be mined at once.
    """
    from whyraise.lookup.stream import explain_stream  # noqa: PLC0415  # only large logs need it

    limit = limit or knowledge.settings.max_findings
    found = explain_stream(
        chunks, knowledge.catalog(), limit=limit, min_confidence=min_confidence, muted=knowledge.muted
    )
    return _advised(found)


def _advised(explanation: Explanation) -> Explanation:
    """Return an explanation with its advice."""
    if not explanation.findings:
        return explanation
    from whyraise.advice.curated import advise  # noqa: PLC0415  # where nothing is known, there is none yet

    return advise(explanation)


def _look_up(
    text: str, knowledge: Knowledge, catalog: Catalog, limit: int, min_confidence: Confidence | None
) -> Answer:
    analysis = analyse(text, catalog, knowledge.muted)
    limit = limit or knowledge.settings.max_findings
    return Answer(explain_analysis(analysis, catalog, limit=limit, min_confidence=min_confidence), analysis, catalog)
