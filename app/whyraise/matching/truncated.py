"""Wordings of which a paste shows only a part, because it was cut at one end.

The part that is there is a chain of its own: the literals that are whole, and what is left of the one that was torn.
"""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.matching.chains import Literal, View, find, literal_of, views
from whyraise.matching.match import Match, own_text, search
from whyraise.matching.regions import Region
from whyraise.matching.wording import Wording
from whyraise.patterns.chain import Chain, Gap

# With less of its own text than this a cut wording is a guess.
SHORTEST_PART = 16


def search_part(wording: Wording, region: Region, side: str) -> Match | None:
    """Return the part of a wording that stands at a cut end of a region, or None."""
    if wording.chain is None or not wording.chain.literals:
        return None
    region = _without_ellipsis(region)
    view = list(views(region))[-1]
    literals = [literal_of(text) for text in wording.chain.literals]
    part = (_tail_part if side == "tail" else _head_part)(wording.chain, literals, view)
    found = None if part is None else next(search(wording._replace(chain=part), region), None)
    if found is None or found.share.found < SHORTEST_PART or not _at_the_cut(found, region, side):
        return None
    return found._replace(share=found.share._replace(wanted=own_text(literals), cut=side))


def _without_ellipsis(region: Region) -> Region:
    text = region.text.rstrip()
    text = text.removesuffix("…") if text.endswith("…") else text.removesuffix("...")
    return region._replace(text=text, end=region.start + len(text))


def _at_the_cut(match: Match, region: Region, side: str) -> bool:
    if side == "tail":
        return not region.text[match.span.end - region.start :].strip()
    return not region.text[: match.span.start - region.start].strip()


def _tail_part(chain: Chain, literals: Sequence[Literal], view: View) -> Chain | None:
    """Return the first literals that stand in order, and the beginning of the next one at the very end."""
    whole, end = 0, 0
    while whole < len(literals) and (place := find(literals[whole], view, end, len(view.packed))):
        whole, end = whole + 1, place.end
    if whole == len(literals):
        return None
    torn = _beginning(literals[whole].packed, view.packed[end:])
    if torn:
        text = _packed_prefix(literals[whole].text, torn)
        return Chain((*chain.literals[:whole], text), (*chain.gaps[: whole + 1], ()))
    return Chain(chain.literals[:whole], _loosened(chain, whole)) if whole else None


def _loosened(chain: Chain, whole: int) -> tuple[tuple[Gap, ...], ...]:
    """Return the gaps up to the one in which the paste ends, which may hold nothing yet."""
    last = tuple(gap._replace(least=0) for gap in chain.gaps[whole])
    return (*chain.gaps[:whole], last)


def _head_part(chain: Chain, literals: Sequence[Literal], view: View) -> Chain | None:
    """Return the literals from the first whole one on, and the end of the one before at the very start."""
    places = ((number, find(literal, view, 0, len(view.packed))) for number, literal in enumerate(literals))
    whole, place = next(((number, place) for number, place in places if place), (len(literals), None))
    if not whole:
        return None
    before = view.packed[: place.start if place else None]
    torn = _beginning(literals[whole - 1].packed[::-1], before[::-1])
    if torn:
        text = _packed_prefix(literals[whole - 1].text[::-1], torn)[::-1]
        return Chain((text, *chain.literals[whole:]), ((), *chain.gaps[whole:]))
    return Chain(chain.literals[whole:], chain.gaps[whole:]) if place else None


def _beginning(literal: str, text: str) -> int:
    """Return how much of a literal's beginning is at the end of a text."""
    longest = min(len(literal) - 1, len(text))
    return next((length for length in range(longest, 0, -1) if text.endswith(literal[:length])), 0)


def _packed_prefix(text: str, length: int) -> str:
    """Return a text up to its non-blank character number `length`, with the white space after it."""
    for position, char in enumerate(text):
        length -= not char.isspace()
        if length < 0:
            return text[:position]
    return text
