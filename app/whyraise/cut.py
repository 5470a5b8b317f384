"""Wordings of which a paste shows only a part, because it was cut at one end."""

from __future__ import annotations

from itertools import pairwise

from whyraise.chains import Literal, View, find, literal_of, views
from whyraise.index import Wording
from whyraise.match import Match, Share, made, own_text
from whyraise.paste import Span
from whyraise.pattern import Chain, Gap
from whyraise.regions import Region

# With less of its own text than this a cut wording is a guess.
SHORTEST_PART = 16

_ELLIPSES = ("...", "…")


def cut_sides(region: Region, text: str, *, head: bool, tail: bool) -> tuple[str, ...]:
    """Say on which sides a region may be cut: at the ends of the text, at an ellipsis, or where the reader says so."""
    at_head = head or not text[: region.start].strip()
    at_tail = tail or not text[region.end :].strip() or region.text.rstrip().endswith(_ELLIPSES)
    return tuple(side for side, is_cut in (("tail", at_tail), ("head", at_head)) if is_cut)


def search_part(wording: Wording, region: Region, side: str) -> Match | None:
    """Return the part of a wording that stands at a cut end of a region, or None."""
    if wording.chain is None or not wording.chain.literals:
        return None
    view = list(views(region))[-1]
    literals = [literal_of(text) for text in wording.chain.literals]
    part = _tail_part(wording.chain, literals, view) if side == "tail" else _head_part(wording.chain, literals, view)
    if part is None or part[2] < SHORTEST_PART:
        return None
    span, gaps, found = part
    return made(wording, region, span, gaps, Share(found, own_text(literals), side))


_Part = tuple[Span, list[tuple[Gap, Span]], int]


def _tail_part(chain: Chain, literals: list[Literal], view: View) -> _Part | None:
    """Find the first literals in order, then the beginning of the next one at the very end."""
    places: list[Span] = []
    for literal in literals:
        place = find(literal, view, places[-1].end if places else 0, len(view.packed))
        if place is None:
            break
        places.append(place)
    if len(places) == len(literals):
        return None
    end = len(view.packed.rstrip("….")) if view.text.rstrip().endswith(_ELLIPSES) else len(view.packed)
    torn = _beginning(literals[len(places)].packed, view.packed[places[-1].end if places else 0 : end])
    if not places and (not torn or (chain.gaps[0] and end == torn)):
        return None
    places.append(Span(end - torn, end))
    stands = [_stand(view, place) for place in places]
    start = stands[0].start if not chain.gaps[0] else 0
    lead = [Span(start, stands[0].start)] if chain.gaps[0] else []
    between = [Span(left.end, right.start) for left, right in pairwise(stands)]
    found = sum(place.end - place.start for place in places)
    return Span(start, stands[-1].end), _filled(chain.gaps[0 if lead else 1 :], [*lead, *between]), found


def _head_part(chain: Chain, literals: list[Literal], view: View) -> _Part | None:
    """Find the last literals in order, then the end of the one before at the very start."""
    first = _first_whole(literals, view)
    if first == 0:
        return None
    places: list[Span] = []
    for literal in literals[first:]:
        place = find(literal, view, places[-1].end if places else 0, len(view.packed))
        if place is None:
            return None
        places.append(place)
    torn = _beginning(literals[first - 1].packed[::-1], view.packed[: places[0].start if places else None][::-1])
    if not places and not torn:
        return None
    stands = [_stand(view, place) for place in [Span(0, torn), *places]]
    end = len(view.text.rstrip()) if chain.gaps[-1] else stands[-1].end
    between = [Span(left.end, right.start) for left, right in pairwise(stands)]
    rest = [Span(stands[-1].end, end)] if chain.gaps[-1] else []
    found = torn + sum(place.end - place.start for place in places)
    return Span(0, end), _filled(chain.gaps[first:], [*between, *rest]), found


def _first_whole(literals: list[Literal], view: View) -> int:
    """Return the number of the first literal that the text holds whole, or how many there are."""
    whole = (number for number, literal in enumerate(literals) if find(literal, view, 0, len(view.packed)))
    return next(whole, len(literals))


def _beginning(literal: str, text: str) -> int:
    """Return how much of a literal's beginning is at the end of a text."""
    longest = min(len(literal) - 1, len(text))
    return next((length for length in range(longest, 0, -1) if text.endswith(literal[:length])), 0)


def _stand(view: View, place: Span) -> Span:
    """Return a place in offsets of the region's text."""
    if place.start == place.end:
        origin = view.at[place.start - 1] + 1 if place.start else 0
        return Span(origin, origin)
    return Span(view.at[place.start], view.at[place.end - 1] + 1)


def _filled(gaps: tuple[tuple[Gap, ...], ...], spans: list[Span]) -> list[tuple[Gap, Span]]:
    """Pair single placeholders with what they cover; adjacent ones cannot be told apart in a part."""
    return [(position[0], span) for position, span in zip(gaps, spans, strict=False) if len(position) == 1]
