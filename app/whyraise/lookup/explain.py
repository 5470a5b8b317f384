"""The use case: a pasted text in, the known errors behind it out."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explanation import MOST_EXCEPTIONS, Capture, Explanation, Finding, Occurrence
from whyraise.matching import match, ranking
from whyraise.matching.confirm import Confirmation
from whyraise.matching.evidence import CONFIDENCES, Judgement
from whyraise.matching.match import Match
from whyraise.matching.squeezed import squeeze
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading import exceptions, paste, wrappers
from whyraise.reading.boilerplate import Furniture
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.reading.paste import Paste, Span
from whyraise.records.record import ORIGINS

if TYPE_CHECKING:
    from whyraise.lookup.explanation import Nearest
    from whyraise.matching.evidence import Confidence


# Where nothing is known, the messages of so many exceptions, or so much of the paste's end, are what records are like.
_TELLING, _TAIL = 20, 2000
# Records that full text search proposes as near.
_SIMILAR = 20


# The judgements of one finding, best first: those of one record, or of several that are one error under other ids.
Group = list[Judgement]


class Look(NamedTuple):
    """What one look at a text gave: the text read, and every judged match, in groups of one finding, best first."""

    pasted: Paste
    reading: Reading
    judged: list[Judgement]
    groups: list[Group]


def explain(text: str, catalog: Catalog, *, limit: int = 10, min_confidence: Confidence | None = None) -> Explanation:
    """Find the known errors in a pasted text.

    Without `min_confidence`, merely possible findings are returned only where nothing better is found.
    """
    return explained(look_at(text, catalog), catalog, limit=limit, min_confidence=min_confidence)


def explained(
    look: Look, catalog: Catalog, *, limit: int = 10, min_confidence: Confidence | None = None
) -> Explanation:
    """Return what one look at a text says, for whoever needs the text as it was read beside the answer."""
    shown = believed(look.groups[0][0].confidence if look.groups else None, min_confidence)
    kept = ([one for one in group if one.confidence in shown] for group in look.groups)
    groups = [group for group in kept if group]
    findings = tuple(finding(group, look, catalog) for group in groups[:limit])
    blocks = look.reading.blocks
    return Explanation(
        datasets=catalog.datasets,
        findings=findings,
        exceptions=blocks[-MOST_EXCEPTIONS:],
        nearest=() if findings else nearest(look, catalog),
        wrapper=advice(blocks),
        truncated=len(groups) > limit or len(blocks) > MOST_EXCEPTIONS,
        growing=catalog.growing,
    )


def look_at(text: str, catalog: Catalog) -> Look:
    """Read a text and judge every match in it.

    Where it is not all clear, it is looked at again with typographic quotes and the like written as programs do.
    """
    look = _look(paste.clean(text), catalog)
    if text.isascii() or (look.groups and look.groups[0][0].confidence == "exact"):
        return look
    plain = paste.plain(look.pasted)
    again = _look(plain, catalog) if plain.text != look.pasted.text else look
    return min(look, again, key=_clarity)


def _clarity(look: Look) -> tuple[object, ...]:
    """Return how clear it is what a text says, as a place in an order."""
    return (0, *ranking.place(look.groups[0][0])) if look.groups else (1,)


def _look(pasted: Paste, catalog: Catalog) -> Look:
    reading = exceptions.parse(pasted)
    judged = ranking.order(matches(pasted, reading, catalog), reading)
    return Look(pasted, reading, judged, _grouped(judged))


def believed(best: Confidence | None, least: Confidence | None) -> tuple[Confidence, ...]:
    """Return the confidences to show, given the best there is and the least that was asked for, if any."""
    least = least or ("likely" if best and best != "possible" else "possible")
    return CONFIDENCES[: CONFIDENCES.index(least) + 1]


def advice(blocks: Sequence[ExceptionBlock]) -> str:
    """Return what to paste instead, where a paste shows nothing but wrappers."""
    if not blocks or not all(block.wrapper for block in blocks):
        return ""
    return wrappers.advice(blocks[-1].class_name, blocks[-1].message) or wrappers.PIP


def nearest(look: Look, catalog: Catalog) -> tuple[Nearest, ...]:
    """Return the records that come near where nothing is known, and where each and the text part."""
    messages = " ".join(block.message[:_TAIL] for block in look.reading.blocks[-_TELLING:])
    said = messages or look.pasted.text[-_TAIL:]
    similar = catalog.similar(said, _SIMILAR)
    if not similar:
        return ()
    from whyraise.lookup import nearest as near  # noqa: PLC0415  # needed only where nothing is known

    return near.nearest(look.pasted, look.reading, catalog, similar)


def matches(pasted: Paste, reading: Reading, catalog: Catalog) -> list[Match]:
    """Return every record's message that stands in a text, whole or cut."""
    confirmation = Confirmation(pasted.text, reading)
    squeezed = squeeze(pasted.text)
    confirmation.follow(catalog.scan(squeezed.data), squeezed, catalog.wordings)
    confirmation.at_sites(catalog.sited, catalog.classed)
    found = confirmation.matches
    if all(each.region.block is not None for each in found):
        return found
    furniture = Furniture(pasted.text, reading)
    return [each for each in found if each.region.block is not None or not furniture.holds(each.span)]


def _grouped(judged: list[Judgement]) -> list[Group]:
    """Gather the judgements of one raise site and wording, in the order of the best of each."""
    by_record: dict[int, Group] = defaultdict(list)
    for one in judged:
        by_record[one.match.wording.record].append(one)
    groups: dict[object, Group] = defaultdict(list)
    for group in by_record.values():
        wording = group[0].match.wording
        groups[wording.site, wording.chain, wording.expression, group[0].match.span].extend(group)
    return [sorted(group, key=lambda one: ORIGINS.index(one.match.wording.origin)) for group in groups.values()]


def finding(group: Group, look: Look, catalog: Catalog) -> Finding:
    """Return a finding with its record and all its places in the pasted text."""
    best, pasted = group[0], look.pasted
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
        equals=_equals(best, look.judged, ids),
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
    others = (one.match.wording.record_id for one in judged if ranking.is_equal(one, best))
    return tuple(dict.fromkeys(other for other in others if other not in ids))


def _occurrences(group: Group, pasted: Paste) -> tuple[Occurrence, ...]:
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
