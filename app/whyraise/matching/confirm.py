"""From candidates to matches: each wording is confirmed once in each region that a literal of it was found in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from whyraise.matching.match import Match, is_multiline, search
from whyraise.matching.regions import Region, Regions, ends_torn
from whyraise.matching.scanner import Hits
from whyraise.matching.squeezed import Squeezed
from whyraise.matching.wording import Wording
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.reading.paste import Span

# Confirmed occurrences of one wording that are kept; hits are never capped, the true message may come late.
MOST_OCCURRENCES = 256

# A wording's literals stand within this many squeezed bytes of each other.
_NEAR = 8 * 1024
# Hits of one wording after which it pays to look whether the text holds the rest of it at all.
_MANY_VAIN = 64

# The innermost frames among which the raising function of a record without literals is looked for.
_RAISING_FRAMES = 3


class Confirmation:
    """Collects the matches of one text; `regions` are made once for all wordings."""

    def __init__(self, text: str, reading: Reading) -> None:
        self._kept = Span(len(text) - len(text.lstrip()), len(text.rstrip()))
        self._reading = reading
        # Whether messages end where the paste does not; elsewhere a wording stands whole or not at all.
        self._torn = any(block.cut_tail and block.span.end < self._kept.end for block in reading.blocks)
        self._regions = Regions(text, reading)
        self._done: set[tuple[int, int]] = set()
        self._left: defaultdict[int, int] = defaultdict(lambda: MOST_OCCURRENCES)
        self._vain: Counter[int] = Counter()
        self._ends: Counter[int] = Counter()
        self.matches: list[Match] = []

    def follow(self, hits: Hits, squeezed: Squeezed, wordings: Callable[[int], Iterable[Wording]]) -> None:
        """Confirm the wordings that the literals found in the text lead to."""
        data = squeezed.data
        live: dict[int, list[Wording]] = {}
        reached: dict[
            int, int
        ] = {}  # up to where all wordings of a literal are confirmed: one may be found at each byte
        for literal, end in hits:
            known = live.get(literal)
            if known is None:
                known = live[literal] = list(wordings(literal))
            if not known or end <= reached.get(literal, 0):
                continue
            near = data[max(0, end - _NEAR) : end + _NEAR]
            torn = self._torn or end < _NEAR or end > len(data) - _NEAR or b"..." in near
            reached[literal] = min(self._try(wording, end, near, squeezed, torn=torn) for wording in known)
            if any(self._left[wording.number] <= 0 for wording in known):
                live[literal] = [wording for wording in known if self._left[wording.number] > 0]

    def _try(self, wording: Wording, end: int, near: bytes, squeezed: Squeezed, *, torn: bool) -> int:
        """Confirm a wording around a hit where the rest of it is near; return up to which byte that was done."""
        if torn or all(needed in near for needed in wording.needed):
            region = self._regions.at(squeezed.position(end - 1), multiline=is_multiline(wording))
            self._confirm(wording, region)
            return squeezed.byte(region.end)
        self._give_up(wording, squeezed.data)
        return 0

    def _give_up(self, wording: Wording, data: bytes) -> None:
        """Count a hit in vain; after many, look once whether the text holds the rest of the wording at all."""
        self._vain[wording.number] += 1
        if self._vain[wording.number] == _MANY_VAIN and not all(needed in data for needed in wording.needed):
            self._left[wording.number] = 0

    def at_sites(
        self, sited: Callable[[str, str], Iterable[Wording]], classed: Callable[[str], Iterable[Wording]]
    ) -> None:
        """Confirm the wordings without a literal in the messages of the exceptions that name class and function.

        Where no frame names the function, the class alone must do.
        """
        for block in self._reading.blocks:
            functions = {frame.function for frame in block.frames[-_RAISING_FRAMES:]}
            class_name = block.class_name.rpartition(".")[2]
            known = [wording for function in sorted(functions) for wording in sited(class_name, function)]
            if class_name and not block.frames:
                known += classed(class_name)
            if known and block.span.start < block.span.end:
                region = self._regions.at(block.span.start)
                for wording in known:
                    self._confirm(wording, region)

    def _confirm(self, wording: Wording, region: Region) -> None:
        key = (wording.number, region.start)
        if key in self._done:
            return
        block = None if region.block is None else self._reading.blocks[region.block]
        found = [] if wording.edge and not self._sides(region, block) else self._search(wording, region, block)
        if found or not wording.edge:
            self._done.add(key)
        found = [match for match in found if match.span.start >= self._ends[wording.number]]  # regions may overlap
        if found:
            self._ends[wording.number] = found[-1].span.end
        self.matches += found
        self._left[wording.number] -= len(found)

    def _search(self, wording: Wording, region: Region, block: ExceptionBlock | None) -> list[Match]:
        found = list(search(wording, region))
        if found:
            return found
        sides = self._sides(region, block)
        if not sides:
            return []
        from whyraise.matching.truncated import search_part  # noqa: PLC0415  # few pastes are cut

        parts = (search_part(wording, region, side) for side in sides)
        return [part for part in parts if part][:1]

    def _sides(self, region: Region, block: ExceptionBlock | None) -> tuple[str, ...]:
        """Return the sides on which a region may be cut: at the text's ends, at an ellipsis, or as the reader says."""
        tail = region.end >= self._kept.end or ends_torn(region) or (block is not None and block.cut_tail)
        head = region.start <= self._kept.start
        return ("tail",) * tail + ("head",) * head
