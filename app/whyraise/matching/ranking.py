"""Weighs what speaks for each match, says it in words, and puts the matches in order.

`exact`: the whole message is explained, the class agrees, and the raise site agrees or no other record explains it.
`likely`: the message is explained and nothing contradicts; or what is left of a cut message is long and specific and
class or site agrees. `possible`: some evidence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from whyraise.matching import confidence as lineage
from whyraise.matching.evidence import CONFIDENCES, Evidence, Judgement, class_agreement, site_agreement
from whyraise.matching.match import Match
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.patterns.chain import squeeze
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.records.record import ORIGINS
from whyraise.source_paths import site_of

if TYPE_CHECKING:
    from whyraise.matching.evidence import Confidence


# Own text that a wording needs to be believed without class or site: whole on its line, and within a line.
_ALONE, _WITHIN = 18, 48
# Own text that is no evidence at all where it is not the whole message.
_FEW = 16
# Own text that the rest of a cut message needs with class or site, and without.
_CUT, _CUT_ALONE = 24, 60
# A message explained to this share is explained whole: the rest is a quote mark or a full stop.
_WHOLE = 0.97
# A wording with less than this share of the best one's own text explains a message only by accident.
_LESS_SPECIFIC = 0.8
# Two records that both explain a whole message, with this share of the other's own text, are not told apart by it.
_ALIKE = 0.8
# What stands before a message in source code.
_IN_SOURCE = r"(?:\braise\b[^\"']*\(|\b[fF])[\"']{1,3}$"
# What may stand around a message that a person quotes.
_QUOTES = " \t\r\n`'\"*_“”‘’«»()[]<>.,:;!"


_LED_ON = Evidence("chain", "less is known of what was raised after it, by a package")


def order(matches: Sequence[Match], reading: Reading) -> list[Judgement]:
    """Judge all matches, each against the others of its message, and return them best first."""
    by_region: dict[int, list[Judgement]] = defaultdict(list)
    for match in matches:
        facts = _facts(match, reading)
        if not _says_nothing(facts):
            by_region[match.region.start].append(facts)
    judged = [judgement for rivals in by_region.values() for judgement in _judged(rivals)]
    return sorted(_limited(judged, reading.blocks), key=place)


def _limited(judged: list[Judgement], blocks: Sequence[ExceptionBlock]) -> list[Judgement]:
    """Believe what is known of an exception no more than what is known of the one that a package raised after it."""
    numbers = {id(block): number for number, block in enumerate(blocks)}
    places = [(numbers.get(id(one.block), -1), CONFIDENCES.index(one.confidence)) for one in judged]
    best = dict(sorted(places, reverse=True))
    limits = lineage.limits(blocks, best, len(CONFIDENCES) - 1)
    return [
        one._replace(confidence=CONFIDENCES[limits[number]], evidence=(*one.evidence, _LED_ON))
        if number >= 0 and place < limits[number]
        else one
        for one, (number, place) in zip(judged, places, strict=True)
    ]


def _facts(match: Match, reading: Reading) -> Judgement:
    block = _block_of(match, reading)
    return Judgement(
        match,
        "possible",
        (),
        block,
        class_agreement(match.wording.error_class, block.class_name if block else ""),
        site_agreement(match.wording, block),
        _message_share(match, block),
    )


def _block_of(match: Match, reading: Reading) -> ExceptionBlock | None:
    """Return the exception whose message a match is, or begins in: a message may go on after an empty line."""
    if match.region.block is not None:
        return reading.blocks[match.region.block]
    start = match.span.start
    return next((block for block in reading.blocks if block.span.start <= start < block.span.end), None)


def _says_nothing(facts: Judgement) -> bool:
    """Say whether a few words in the middle of other text are all that was found: every page has those."""
    part = facts.message_share < _WHOLE and facts.match.share.found < _FEW and not facts.match.share.cut
    return part and facts.site_agrees != "agrees"


def _message_share(match: Match, block: ExceptionBlock | None) -> float:
    """Return how much of its message a match explains; outside of exceptions the message is the lines it stands in."""
    region, text = match.region, match.region.text
    start, end = match.span.start - region.start, match.span.end - region.start
    first, last = 0, len(text)
    if region.block is None:
        first = block.span.start - region.start if block else text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", end)
        last = line_end if line_end >= 0 else last
    whole = len(squeeze(text[max(first, 0) : last].strip(_QUOTES)))
    return len(squeeze(text[start:end].strip(_QUOTES))) / whole if whole else 0.0


def _judged(rivals: list[Judgement]) -> list[Judgement]:
    """Judge the matches of one message; one that has much less of its own text there than another is an accident.

    A fragment shows no other to be one: it is not known to be a message at all. Neither does a record of another class
    or raise site, and what is raised at the very site is measured against what else is raised there.
    """
    whole = [rival for rival in rivals if rival.match.wording.kind != "fragment"] or rivals
    agreeing = [rival for rival in whole if "differs" not in (rival.class_agrees, rival.site_agrees)]
    best = max(rival.match.share.found for rival in agreeing or whole)
    best_there = max((rival.match.share.found for rival in agreeing if rival.site_agrees == "agrees"), default=0)
    explaining = {
        rival.match.wording.record
        for rival in rivals
        if rival.message_share >= _WHOLE and rival.match.share.found >= _LESS_SPECIFIC * best
    }
    return [
        _decided(
            rival,
            best_there if rival.site_agrees == "agrees" else best,
            explaining - {rival.match.wording.record},
        )
        for rival in rivals
    ]


def _decided(facts: Judgement, best: int, others: set[int]) -> Judgement:
    confidence = _confidence(facts, alone=not others)
    if facts.match.region.echo or _is_source(facts) or facts.match.share.found < _LESS_SPECIFIC * best:
        confidence = "possible"
    return facts._replace(confidence=confidence, evidence=_evidence(facts, others))


def _is_source(facts: Judgement) -> bool:
    """Say whether a match is the text of a literal in source code, and not a message that was raised."""
    region, start = facts.match.region, facts.match.span.start
    line = region.text[: start - region.start].rpartition("\n")[2]
    return facts.block is None and bool(re.search(_IN_SOURCE, line))


def _package_agrees(facts: Judgement) -> bool:
    """Say whether a traceback goes through the package of a record: it may have written another's message anew."""
    package = facts.match.wording.site.partition("/")[0] + "/"
    return facts.block is not None and any(site_of(frame.path).startswith(package) for frame in facts.block.frames)


def _confidence(facts: Judgement, *, alone: bool) -> Confidence:
    match, agreements = facts.match, (facts.class_agrees, facts.site_agrees)
    if match.wording.kind == "fragment":
        enough = match.share.found >= _ALONE and not match.share.cut
        return "likely" if enough and ("agrees" in agreements or _package_agrees(facts)) else "possible"
    if "differs" in agreements:
        return "possible"
    if match.share.cut:
        enough = match.share.found >= (_CUT if "agrees" in agreements else _CUT_ALONE)
        return "likely" if enough else "possible"
    whole = facts.message_share >= _WHOLE
    if whole and match.wording.kind == "site" and facts.site_agrees == "agrees":
        return _at_site(facts)
    if whole and agreements == ("agrees", "agrees"):
        return "exact"
    specific = match.share.found >= _ALONE
    if whole and facts.class_agrees == "agrees" and alone and specific:
        return "exact"
    if whole and (specific or ("agrees" in agreements and match.share.found)):
        return "likely"
    return "likely" if match.share.found >= _WITHIN else "possible"


def _at_site(facts: Judgement) -> Confidence:
    """Judge a mined statement without a text of its own that is found at its site: class and line are what tells."""
    at_line = _nearness(facts)[1]
    if facts.class_agrees == "agrees":
        return "exact" if at_line else "likely"
    return "likely" if at_line else "possible"


def _nearness(facts: Judgement) -> tuple[bool, bool]:
    """Say whether the raising frame has the very path of the record, and its very line."""
    wording = facts.match.wording
    frame = facts.block.frames[-1] if facts.block and facts.site_agrees == "agrees" and facts.block.frames else None
    return (frame is not None and site_of(frame.path) == wording.site, frame is not None and frame.line == wording.line)


def _evidence(facts: Judgement, others: set[int]) -> tuple[Evidence, ...]:
    wording, share = facts.match.wording, facts.match.share
    found = [Evidence("message", _message_words(share.found, share.wanted, share.cut))]
    if facts.class_agrees == "agrees" and facts.block:
        found.append(Evidence("class", f"class {facts.block.class_name}"))
    if facts.class_agrees == "differs" and facts.block:
        found.append(Evidence("class", f"class {facts.block.class_name}, the record says {wording.error_class}"))
    if facts.site_agrees == "agrees":
        found.append(Evidence("site", f"raised in `{wording.site}`, which stands in your traceback"))
    if facts.site_agrees == "differs":
        found.append(Evidence("site", f"the record is raised in `{wording.site}`, your traceback ends elsewhere"))
    if facts.match.region.echo:
        found.append(Evidence("echo", "found in a source line that the traceback quotes"))
    if not others and facts.message_share >= _WHOLE:
        found.append(Evidence("alone", "no other record explains this message"))
    return tuple(found)


def _message_words(found: int, wanted: int, cut: str) -> str:
    if not wanted:
        return "the record has no text of its own"
    if found == wanted:
        return f"all {wanted} characters of its text"
    where = "begins" if cut == "head" else "ends"
    return f"{found} of the {wanted} characters of its text; the paste {where} there"


def is_equal(one: Judgement, best: Judgement) -> bool:
    """Say whether a paste does not tell a match from another: the same evidence, and as much of the message explained.

    Where both explain the whole message, a few characters (the quotes around a value, a number) tell nothing.
    """
    near = _ALIKE if min(one.message_share, best.message_share) >= _WHOLE else 1.0
    less, more = sorted((one.match.share.found, best.match.share.found))
    same = (best.match.region, best.confidence, best.class_agrees, best.site_agrees)
    return less >= near * more and same == (one.match.region, one.confidence, one.class_agrees, one.site_agrees)


def place(judgement: Judgement) -> tuple[object, ...]:
    """Return a judgement's place in the order: by confidence, evidence, own text found, and place in the paste.

    Wrappers come after what they report, however well they are known themselves, and so do the lines of watchdogs,
    which name no class, among what is known as well.
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
        sum(agreement == "differs" for agreement in agreements),
        -sum(agreement == "agrees" for agreement in agreements),
        match.wording.kind == "fragment",
        -match.share.found,
        tuple(not near for near in _nearness(judgement)),
        ORIGINS.index(match.wording.origin),
        match.span.start,
    )
