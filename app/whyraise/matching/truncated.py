"""Finds wordings of which a paste shows only a part, because it was truncated at one end.

The part that is there is a chain of its own: the literals that are whole, and what is left of the truncated one.
"""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.matching.chains import Literal, View, find, prepare, views
from whyraise.matching.match import Match, own_length, search
from whyraise.matching.regions import Region
from whyraise.matching.wording import Wording
from whyraise.patterns.chain import Chain, Gap

# With fewer characters of its own text, a truncated wording is a guess.
_SHORTEST_PART = 16


def search_truncated(wording: Wording, region: Region, side: str) -> Match | None:
    """Return the part of a wording at a truncated end of a region, or None. `side` is `head` or `tail`."""
    if wording.chain is None or not wording.chain.literals:
        return None
    region = _without_ellipsis(region)
    view = list(views(region))[-1]
    literals = [prepare(text) for text in wording.chain.literals]
    part = (_tail_part if side == "tail" else _head_part)(wording.chain, literals, view)
    found = None if part is None else next(search(wording._replace(chain=part), region), None)
    if found is None or found.share.found < _SHORTEST_PART or not _reaches_end(found, region, side):
        return None
    return found._replace(share=found.share._replace(wanted=own_length(literals), truncated_side=side))


def _without_ellipsis(region: Region) -> Region:
    text = region.text.rstrip()
    text = text.removesuffix("…") if text.endswith("…") else text.removesuffix("...")
    return region._replace(text=text, end=region.start + len(text))


def _reaches_end(match: Match, region: Region, side: str) -> bool:
    """Return whether a match goes to the truncated end of a region."""
    if side == "tail":
        return not region.text[match.span.end - region.start :].strip()
    return not region.text[: match.span.start - region.start].strip()


def _tail_part(chain: Chain, literals: Sequence[Literal], view: View) -> Chain | None:
    """Return the chain of the first literals found in order, and of the prefix of the next one that ends the text."""
    whole, end = 0, 0
    while whole < len(literals) and (place := find(literals[whole], view, end, len(view.searched))):
        whole, end = whole + 1, place.end
    if whole == len(literals):
        return None
    length = _prefix_length(literals[whole].squeezed, view.searched[end:])
    if length:
        prefix = _prefix(literals[whole].text, length)
        return Chain((*chain.literals[:whole], prefix), (*chain.gaps[: whole + 1], ()))
    return Chain(chain.literals[:whole], _with_optional_last(chain, whole)) if whole else None


def _with_optional_last(chain: Chain, whole: int) -> tuple[tuple[Gap, ...], ...]:
    """Return the gaps up to the one in which the paste ends; that one may be empty."""
    last = tuple(gap._replace(min_length=0) for gap in chain.gaps[whole])
    return (*chain.gaps[:whole], last)


def _head_part(chain: Chain, literals: Sequence[Literal], view: View) -> Chain | None:
    """Return the chain from the first whole literal on, with the suffix of the one before it that starts the text."""
    places = ((number, find(literal, view, 0, len(view.searched))) for number, literal in enumerate(literals))
    whole, place = next(((number, place) for number, place in places if place), (len(literals), None))
    if not whole:
        return None
    before = view.searched[: place.start if place else None]
    # A suffix at the start of a text is a prefix at the end of the reversed text.
    length = _prefix_length(literals[whole - 1].squeezed[::-1], before[::-1])
    if length:
        suffix = _prefix(literals[whole - 1].text[::-1], length)[::-1]
        return Chain((suffix, *chain.literals[whole:]), ((), *chain.gaps[whole:]))
    return Chain(chain.literals[whole:], chain.gaps[whole:]) if place else None


def _prefix_length(literal: str, text: str) -> int:
    """Return the length of the longest proper prefix of a literal that ends the text."""
    longest = min(len(literal) - 1, len(text))
    return next((length for length in range(longest, 0, -1) if text.endswith(literal[:length])), 0)


def _prefix(text: str, length: int) -> str:
    """Return the prefix with `length` characters that are not whitespace, and the whitespace after them."""
    for offset, char in enumerate(text):
        length -= not char.isspace()
        if length < 0:
            return text[:offset]
    return text
