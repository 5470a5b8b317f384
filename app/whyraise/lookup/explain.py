"""Looks up the known errors in a pasted text: the use case of the whole program."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explanation import MOST_EXCEPTIONS, Capture, Explanation, Finding, Occurrence
from whyraise.lookup.settle import settle_messages
from whyraise.matching import ranking
from whyraise.matching.confirm import Confirmation
from whyraise.matching.evidence import CONFIDENCES, Judgement
from whyraise.matching.match import Match, unwrap
from whyraise.matching.squeezed import squeeze
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading import exceptions, paste, wrappers
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.reading.paste import Paste, Span
from whyraise.records.record import ORIGINS

if TYPE_CHECKING:
    from whyraise.lookup.explanation import Nearest
    from whyraise.matching.evidence import Confidence


# If nothing is known, similar records are searched with the messages of this many last exceptions or, if there are
# none, with this many last characters of the paste. No message is searched with more characters than that.
_MOST_MESSAGES, _TAIL = 20, 2000
# The most records that full text search returns as similar.
_MOST_SIMILAR = 20


# The judgements of one finding, best first: of one record, or of several records that are one error under other ids.
Group = list[Judgement]


class Analysis(NamedTuple):
    """A text as it was read, and every judged match in it, best first; `groups` has one group for each finding.

    `muted` is the number of further findings, which the user muted.
    """

    pasted: Paste
    reading: Reading
    judged: list[Judgement]
    groups: list[Group]
    muted: int


def explain(
    text: str,
    catalog: Catalog,
    *,
    limit: int = 10,
    min_confidence: Confidence | None = None,
    muted: frozenset[str] = frozenset(),
) -> Explanation:
    """Find the known errors in a pasted text.

    Without `min_confidence`, findings that are only possible are returned only if nothing better is found. Findings of
    records with a `muted` id are left out and counted.
    """
    return explain_analysis(analyse(text, catalog, muted), catalog, limit=limit, min_confidence=min_confidence)


def explain_analysis(
    analysis: Analysis, catalog: Catalog, *, limit: int = 10, min_confidence: Confidence | None = None
) -> Explanation:
    """Return the answer to an analysed text, for callers that also need the text as it was read."""
    shown = shown_confidences(analysis.groups[0][0].confidence if analysis.groups else None, min_confidence)
    filtered = ([judgement for judgement in group if judgement.confidence in shown] for group in analysis.groups)
    groups = [group for group in filtered if group]
    findings = tuple(build_finding(group, analysis, catalog) for group in groups[:limit])
    blocks = analysis.reading.blocks
    return Explanation(
        datasets=catalog.datasets,
        findings=findings,
        exceptions=blocks[-MOST_EXCEPTIONS:],
        nearest=() if findings else nearest(analysis, catalog),
        wrapper=wrapper_advice(blocks),
        truncated=len(groups) > limit or len(blocks) > MOST_EXCEPTIONS,
        growing=catalog.growing,
        muted=analysis.muted,
    )


def analyse(text: str, catalog: Catalog, muted: frozenset[str] = frozenset()) -> Analysis:
    """Read a text and judge every match in it; findings of records with a muted id are left out and counted.

    If the best finding is not exact, the text is analysed again with typographic quotes and similar characters
    replaced by those that programs print, and the better analysis is returned.
    """
    analysis = _analyse(paste.clean(text), catalog, muted)
    if text.isascii() or (analysis.groups and analysis.groups[0][0].confidence == "exact"):
        return analysis
    normalized = paste.normalize(analysis.pasted)
    again = _analyse(normalized, catalog, muted) if normalized.text != analysis.pasted.text else analysis
    return min(analysis, again, key=_sort_key)


def _sort_key(analysis: Analysis) -> tuple[object, ...]:
    """Return the key that sorts analyses of one text by their best finding; those without a finding come last."""
    return (0, *ranking.sort_key(analysis.groups[0][0])) if analysis.groups else (1,)


def _analyse(pasted: Paste, catalog: Catalog, muted: frozenset[str]) -> Analysis:
    reading = exceptions.parse(pasted)
    judged = ranking.order(find_matches(pasted, reading, catalog), reading)
    reading, judged = settle_messages(pasted, reading, judged)
    groups = _group(judged)
    shown = [group for group in groups if group[0].match.wording.record_id not in muted] if muted else groups
    return Analysis(pasted, reading, judged, shown, len(groups) - len(shown))


def shown_confidences(best: Confidence | None, least: Confidence | None) -> tuple[Confidence, ...]:
    """Return the confidences to show, given the best one found and the least one that the caller asked for, if any."""
    least = least or ("likely" if best and best != "possible" else "possible")
    return CONFIDENCES[: CONFIDENCES.index(least) + 1]


def wrapper_advice(blocks: Sequence[ExceptionBlock]) -> str:
    """Return what to paste instead if all exceptions of a paste are wrappers, else an empty text."""
    if not blocks or not all(block.wrapper for block in blocks):
        return ""
    return wrappers.advice(blocks[-1].class_name, blocks[-1].message) or wrappers.PIP


def nearest(analysis: Analysis, catalog: Catalog) -> tuple[Nearest, ...]:
    """Return the records nearest to a text that no record explains, and where each first differs from the text."""
    messages = " ".join(block.message[:_TAIL] for block in analysis.reading.blocks[-_MOST_MESSAGES:])
    similar = catalog.similar(messages or analysis.pasted.text[-_TAIL:], _MOST_SIMILAR)
    if not similar:
        return ()
    from whyraise.lookup.nearest import nearest_records  # noqa: PLC0415  # needed only if nothing is known

    return nearest_records(analysis.pasted, analysis.reading, catalog, similar)


def find_matches(pasted: Paste, reading: Reading, catalog: Catalog) -> list[Match]:
    """Return the matches of all records in a text, whole or truncated."""
    confirmation = Confirmation(pasted.text, reading)
    squeezed = squeeze(pasted.text)
    confirmation.confirm_hits(catalog.scan(squeezed.data), squeezed, catalog.wordings)
    confirmation.confirm_sites(catalog.wordings_by_site, catalog.wordings_by_class)
    found = confirmation.matches
    if all(match.region.block is not None for match in found):
        return found
    from whyraise.reading.boilerplate import Boilerplate  # noqa: PLC0415  # most messages are those of exceptions

    boilerplate = Boilerplate(pasted.text, reading)
    return [match for match in found if match.region.block is not None or not boilerplate.contains(match.span)]


def _group(judged: list[Judgement]) -> list[Group]:
    """Group the judgements of one raise site, wording and place, in the order of the best of each group."""
    by_record: dict[int, Group] = defaultdict(list)
    for judgement in judged:
        by_record[judgement.match.wording.record].append(judgement)
    groups: dict[object, Group] = defaultdict(list)
    for group in by_record.values():
        wording = group[0].match.wording
        groups[wording.site, wording.chain, wording.expression, group[0].match.span].extend(group)
    return [sorted(group, key=_origin_key) for group in groups.values()]


def _origin_key(judgement: Judgement) -> tuple[bool, int]:
    """Return the key that sorts records of one error: the user's own, then curated, published and mined ones."""
    wording = judgement.match.wording
    return (not wording.own, ORIGINS.index(wording.origin))


def build_finding(group: Group, analysis: Analysis, catalog: Catalog) -> Finding:
    """Return a finding with its record and all its occurrences in the pasted text."""
    best, pasted = group[0], analysis.pasted
    record = catalog.record(best.match.wording.record)
    occurrences = _occurrences(group, pasted)
    ids = dict.fromkeys(judgement.match.wording.record_id for judgement in group)
    return Finding(
        record=record,
        confidence=best.confidence,
        kind="fix" if record.fields.get("solutions") else "cause",
        evidence=best.evidence,
        message=unwrap(best.match.region.text[_region_slice(best.match)]),
        line=pasted.original.count("\n", 0, _original_spans(best.match.pieces, pasted)[0].start) + 1,
        spans=_original_spans(best.match.pieces, pasted),
        captures=tuple(
            Capture(capture.name, capture.value, _original_spans(capture.pieces, pasted))
            for capture in best.match.captures
        ),
        occurrences=occurrences,
        exception=best.block,
        same_as=tuple(other for other in ids if other != record.id),
        equals=_equals(best, analysis.judged, ids),
        own_source=catalog.own_source(best.match.wording.record),
    )


def _region_slice(match: Match) -> slice:
    """Return the slice of its region's text that a match covers."""
    return slice(match.span.start - match.region.start, match.span.end - match.region.start)


def _original_spans(pieces: tuple[Span, ...], pasted: Paste) -> tuple[Span, ...]:
    """Return the spans in the pasted text of pieces of the cleaned text."""
    return paste.merge_spans([span for piece in pieces for span in pasted.original_spans(*piece)])


def _equals(best: Judgement, judged: list[Judgement], ids: dict[str, None]) -> tuple[str, ...]:
    """Return the ids of other records that the paste does not tell apart from this one."""
    others = (judgement.match.wording.record_id for judgement in judged if ranking.is_equal(judgement, best))
    return tuple(dict.fromkeys(other for other in others if other not in ids))


def _occurrences(group: Group, pasted: Paste) -> tuple[Occurrence, ...]:
    """Return the occurrences of a finding's message, in the order of the pasted text."""
    places = {judgement.match.span: _original_spans(judgement.match.pieces, pasted) for judgement in group}
    ranks = {span: _rank(span.start, pasted) for span in places}
    found, line, counted = [], 1, 0
    for span, spans in sorted(places.items(), key=lambda item: item[1]):
        line += pasted.original.count("\n", counted, spans[0].start)
        counted = spans[0].start
        found.append(Occurrence(line, spans, ranks[span]))
    return tuple(found)


def _rank(position: int, pasted: Paste) -> int | None:
    """Return the rank of the process that wrote the cleaned text at a position, or None."""
    number = bisect_right(pasted.streams, position, key=lambda stream: stream.start) - 1
    return pasted.streams[number].rank if number >= 0 else None
