"""Puts the matches of a text in order, each judged against the other matches of its message."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from whyraise.matching.confidence import cause_limits, compare_site, rate
from whyraise.matching.evidence import CONFIDENCES, LATER_EXCEPTION_UNKNOWN, Judgement, compare, reasons
from whyraise.matching.match import Match
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.records.record import ORIGINS

# With fewer characters of its own text a wording is no evidence at all unless it is the whole message.
_TRIVIAL = 16
# A wording with less than this share of the best one's own text explains a message only by accident.
_LESS_SPECIFIC = 0.8
# If two records both explain the whole message, and one has at least this share of the other's own text, the text does
# not tell which of them is right.
_ALIKE = 0.8
# What precedes a message in source code.
_IN_SOURCE = r"(?:\braise\b[^\"']*\(|\b[fF])[\"']{1,3}$"


def order(matches: Sequence[Match], reading: Reading) -> list[Judgement]:
    """Judge all matches, each against the others of its message, and return them best first."""
    by_region: dict[int, list[Judgement]] = defaultdict(list)
    for match in matches:
        judgement = compare(match, reading)
        if not _is_trivial(judgement):
            by_region[match.region.start].append(judgement)
    judged = [judgement for rivals in by_region.values() for judgement in _judge_rivals(rivals)]
    return sorted(_limit_causes(judged, reading.blocks), key=sort_key)


def _is_trivial(judgement: Judgement) -> bool:
    """Return whether only a few words in the middle of other text were found: every page has those."""
    share = judgement.match.share
    few = not judgement.explains_whole_message and share.found < _TRIVIAL and not share.truncated_side
    return few and judgement.site_agrees != "agrees"


def _judge_rivals(rivals: list[Judgement]) -> list[Judgement]:
    """Judge the matches of one message; one with much less text of its own than another is there by accident.

    Not every match makes others accidents: a fragment does not, since it may not be a message at all, nor does a record
    of another class or raise site. A match at its exact raise site is only compared with the others of that site.
    """
    whole = [rival for rival in rivals if rival.match.wording.kind != "fragment"] or rivals
    agreeing = [rival for rival in whole if "differs" not in (rival.class_agrees, rival.site_agrees)]
    best = max(rival.match.share.found for rival in agreeing or whole)
    best_at_site = max((rival.match.share.found for rival in agreeing if rival.site_agrees == "agrees"), default=0)
    explaining = {
        rival.match.wording.record
        for rival in rivals
        if rival.explains_whole_message and rival.match.share.found >= _LESS_SPECIFIC * best
    }
    return [
        _judge(
            rival,
            best_at_site if rival.site_agrees == "agrees" else best,
            alone=not explaining - {rival.match.wording.record},
        )
        for rival in rivals
    ]


def _judge(judgement: Judgement, best: int, *, alone: bool) -> Judgement:
    """Decide the confidence of a match.

    `best` is how many characters of own text the best match of the message has. `alone`: no other record explains it.
    """
    confidence = rate(judgement, alone=alone)
    match = judgement.match
    if match.region.echo or _is_source(judgement) or match.share.found < _LESS_SPECIFIC * best:
        confidence = "possible"
    return judgement._replace(confidence=confidence, evidence=reasons(judgement, alone=alone))


def _is_source(judgement: Judgement) -> bool:
    """Return whether a match is a string literal in source code, and not a message that was raised."""
    region, start = judgement.match.region, judgement.match.span.start
    line = region.text[: start - region.start].rpartition("\n")[2]
    return judgement.block is None and bool(re.search(_IN_SOURCE, line))


def _limit_causes(judged: list[Judgement], blocks: Sequence[ExceptionBlock]) -> list[Judgement]:
    """Lower the confidence of findings about a cause to that of the exception which a package raised after it."""
    numbers = {id(block): number for number, block in enumerate(blocks)}
    places = [(numbers.get(id(judgement.block), -1), CONFIDENCES.index(judgement.confidence)) for judgement in judged]
    best = dict(sorted(places, reverse=True))  # of equal numbers the last one wins, which has the best confidence
    limits = cause_limits(blocks, best, len(CONFIDENCES) - 1)
    return [
        judgement._replace(
            confidence=CONFIDENCES[limits[number]], evidence=(*judgement.evidence, LATER_EXCEPTION_UNKNOWN)
        )
        if number >= 0 and confidence < limits[number]
        else judgement
        for judgement, (number, confidence) in zip(judged, places, strict=True)
    ]


def is_equal(judgement: Judgement, best: Judgement) -> bool:
    """Return whether a paste does not tell two matches apart: same evidence, and as much of the message explained.

    If both explain the whole message, a few characters (the quotes around a value, a number) make no difference.
    """
    share = _ALIKE if judgement.explains_whole_message and best.explains_whole_message else 1.0
    less, more = sorted((judgement.match.share.found, best.match.share.found))
    return less >= share * more and _facts(judgement) == _facts(best)


def _facts(judgement: Judgement) -> tuple[object, ...]:
    region = judgement.match.region  # its end may be a guess
    return (
        region.start,
        region.block,
        region.echo,
        judgement.confidence,
        judgement.class_agrees,
        judgement.site_agrees,
    )


def sort_key(judgement: Judgement) -> tuple[object, ...]:
    """Return the key that sorts judgements best first: by confidence, evidence, own text found, and place in the paste.

    Wrappers come after what they report, however well they are known themselves. Within one confidence, so do the
    lines of watchdogs, which name no class.
    """
    match, block = judgement.match, judgement.block
    agreements = (judgement.site_agrees, judgement.class_agrees)
    return (
        judgement.confidence == "possible",
        block is not None and block.wrapper,
        CONFIDENCES.index(judgement.confidence),
        match.region.echo,
        block is not None and not block.class_name,
        -match.share.found if judgement.confidence == "possible" else 0,
        block is not None and block.relation in ("cause", "context"),
        not match.wording.own,
        sum(agreement == "differs" for agreement in agreements),
        -sum(agreement == "agrees" for agreement in agreements),
        match.wording.kind == "fragment",
        -match.share.found,
        tuple(not agrees for agrees in compare_site(judgement)),
        ORIGINS.index(match.wording.origin),
        match.span.start,
    )
