"""The use case: a pasted text in, the known errors behind it out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

from whyraise import exceptions, match, paste, rank
from whyraise.catalog import Catalog
from whyraise.confirm import Confirmation
from whyraise.diagnose import Parting, parting
from whyraise.exceptions import ExceptionBlock, Reading
from whyraise.index import Wording
from whyraise.match import Match
from whyraise.paste import Paste, Span
from whyraise.rank import CONFIDENCES, Confidence, Evidence, Judgement
from whyraise.record import ORIGINS, DataSet, Record
from whyraise.regions import Region, Regions
from whyraise.squeezed import squeeze

Kind = Literal["fix", "cause"]

# Where no exception was read, this many last characters and lines of a paste stand for its message.
_TAIL, _MOST_MESSAGES = 2000, 20
# Records that full text search proposes as near, of which so many are shown that share so many characters.
_SIMILAR, _NEAREST, _SHARED = 20, 3, 6


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


class Nearest(NamedTuple):
    """A record that comes near, where the paste and its message part, and where that stands in the pasted text."""

    record: Record
    parting: Parting
    spans: tuple[Span, ...]


class Explanation(NamedTuple):
    """The answer to a paste: what is known, what was read, and, where nothing is known, what comes near.

    `wrapper` is a sentence that says what to paste instead, where the paste shows only a wrapper. `truncated` says
    that more findings exist than were asked for.
    """

    datasets: tuple[DataSet, ...]
    findings: tuple[Finding, ...]
    exceptions: tuple[ExceptionBlock, ...]
    nearest: tuple[Nearest, ...]
    wrapper: str
    truncated: bool


class Diagnosis(NamedTuple):
    """Why a text does not match a record: where they part, or nothing where it does match or the record cannot."""

    record: Record
    matches: bool
    reason: str
    parting: Parting | None
    spans: tuple[Span, ...]


def explain(text: str, catalog: Catalog, *, limit: int = 10, min_confidence: Confidence | None = None) -> Explanation:
    """Find the known errors in a pasted text.

    Without `min_confidence`, merely possible findings are returned only where nothing better is found.
    """
    pasted = paste.clean(text)
    reading = exceptions.parse(pasted)
    judged = rank.order(_matches(pasted, reading, catalog), reading)
    groups = _grouped(_worth_showing(judged, min_confidence))
    findings = [_finding(group, judged, catalog, pasted) for group in groups[:limit]]
    return Explanation(
        datasets=catalog.datasets,
        findings=tuple(findings),
        exceptions=reading.blocks,
        nearest=() if findings else _nearest(pasted, reading, catalog),
        wrapper="",
        truncated=len(groups) > limit,
    )


def diagnose(text: str, record: Record, catalog: Catalog) -> Diagnosis:
    """Say where a pasted text and a record's message part."""
    pasted = paste.clean(text)
    reading = exceptions.parse(pasted)
    wordings = catalog.wordings_of(record.id)
    found = [
        one for one in _matches(pasted, reading, catalog) if one.wording.record_id == record.id and not one.share.cut
    ]
    if found or not wordings:
        return Diagnosis(record, bool(found), catalog.unmatched(record.id), None, ())
    parting = _parting(wordings, _messages(pasted, reading))
    return Diagnosis(record, False, "", parting, pasted.original_spans(*parting.span) if parting else ())


def _matches(pasted: Paste, reading: Reading, catalog: Catalog) -> list[Match]:
    confirmation = Confirmation(pasted.text, reading)
    squeezed = squeeze(pasted.text)
    confirmation.follow(catalog.scan(squeezed.data), squeezed, catalog.wordings)
    confirmation.at_sites(catalog.sited)
    return confirmation.matches


def _messages(pasted: Paste, reading: Reading) -> list[Region]:
    """Return the messages that a paste shows, or its last lines where it shows no exception."""
    regions = Regions(pasted.text, reading)
    starts = [block.span.start for block in reading.blocks if not block.wrapper]
    if not starts:
        lines = [line.start() for line in re.finditer(r"\S[^\n]*", pasted.text[-_TAIL:])]
        starts = [len(pasted.text) - min(len(pasted.text), _TAIL) + line for line in lines[-_MOST_MESSAGES:]]
    return list({region.start: region for start in starts[-_MOST_MESSAGES:] if (region := regions.at(start))}.values())


def _parting(wordings: Iterable[Wording], messages: list[Region]) -> Parting | None:
    """Return the place at which a message agrees longest with a wording before they part."""
    partings = [found for one in wordings for region in messages if (found := parting(one, region))]
    return max(partings, key=lambda one: one.alike, default=None)


def _nearest(pasted: Paste, reading: Reading, catalog: Catalog) -> tuple[Nearest, ...]:
    """Return the records whose words are most like the paste's messages, those that agree longest first."""
    messages = _messages(pasted, reading)
    found: list[Nearest] = []
    for record in catalog.similar(" ".join(region.text[:_TAIL] for region in messages), _SIMILAR):
        apart = _parting(catalog.wordings_of(record.id), messages)
        if apart and apart.alike >= _SHARED:
            found.append(Nearest(record, apart, pasted.original_spans(*apart.span)))
    return tuple(sorted(found, key=lambda near: -near.parting.alike)[:_NEAREST])


def _worth_showing(judged: list[Judgement], least: Confidence | None) -> list[Judgement]:
    if least is None:
        least = "possible" if not judged or judged[0].confidence == "possible" else "likely"
    return [one for one in judged if CONFIDENCES.index(one.confidence) <= CONFIDENCES.index(least)]


# The judgements of one finding, best first: those of one record, or of several that are one error under other ids.
_Group = list[Judgement]


def _grouped(judged: list[Judgement]) -> list[_Group]:
    """Gather the judgements of one raise site and wording, in the order of the best of each."""
    by_record: dict[int, _Group] = defaultdict(list)
    for one in judged:
        by_record[one.match.wording.record].append(one)
    groups: dict[object, _Group] = defaultdict(list)
    for group in by_record.values():
        wording = group[0].match.wording
        groups[wording.site, wording.chain, wording.expression, group[0].match.span].extend(group)
    return [sorted(group, key=lambda one: ORIGINS.index(one.match.wording.origin)) for group in groups.values()]


def _finding(group: _Group, judged: list[Judgement], catalog: Catalog, pasted: Paste) -> Finding:
    best = group[0]
    record = catalog.record(best.match.wording.record)
    occurrences = _occurrences(group, pasted)
    ids = dict.fromkeys(one.match.wording.record_id for one in group)
    return Finding(
        record=record,
        confidence=best.confidence,
        kind="fix" if record.fields.get("solutions") else "cause",
        evidence=best.evidence,
        message=match.value_of(best.match.region.text[_inside(best)]),
        line=pasted.original.count("\n", 0, _original(best.match.pieces, pasted)[0].start) + 1,
        spans=_original(best.match.pieces, pasted),
        captures=tuple(
            Capture(capture.name, capture.value, _original(capture.pieces, pasted)) for capture in best.match.captures
        ),
        occurrences=occurrences,
        exception=best.block,
        same_as=tuple(other for other in ids if other != record.id),
        equals=_equals(best, judged, ids),
    )


def _inside(judgement: Judgement) -> slice:
    """Return where a match stands in its region's text."""
    region, span = judgement.match.region, judgement.match.span
    return slice(span.start - region.start, span.end - region.start)


def _original(pieces: tuple[Span, ...], pasted: Paste) -> tuple[Span, ...]:
    """Return where pieces of the cleaned text stood in the pasted one."""
    return paste.joined([span for piece in pieces for span in pasted.original_spans(*piece)])


def _equals(best: Judgement, judged: list[Judgement], ids: dict[str, None]) -> tuple[str, ...]:
    """Return the ids of other records that the paste does not tell apart from this one."""
    same = (best.match.region, best.confidence, best.match.share.found, best.class_agrees, best.site_agrees)
    others = (
        one.match.wording.record_id
        for one in judged
        if same == (one.match.region, one.confidence, one.match.share.found, one.class_agrees, one.site_agrees)
    )
    return tuple(dict.fromkeys(other for other in others if other not in ids))


def _occurrences(group: _Group, pasted: Paste) -> tuple[Occurrence, ...]:
    """Return where a finding's message stands, in the order of the pasted text."""
    places = {one.match.span: _original(one.match.pieces, pasted) for one in group}
    ranks = {span: _rank(span.start, pasted) for span in places}
    found, line, counted = [], 1, 0
    for span, spans in sorted(places.items(), key=lambda item: item[1]):
        line += pasted.original.count("\n", counted, spans[0].start)
        counted = spans[0].start
        found.append(Occurrence(line, spans, ranks[span]))
    return tuple(found)


def _rank(position: int, pasted: Paste) -> int | None:
    """Return the process rank that wrote what stands at a position of the cleaned text."""
    number = bisect_right(pasted.streams, position, key=lambda stream: stream.start) - 1
    return pasted.streams[number].rank if number >= 0 else None
