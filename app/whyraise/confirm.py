"""From candidates to matches: each wording is confirmed once in each region that a literal of it was found in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from whyraise.cut import cut_sides, search_part
from whyraise.exceptions import ExceptionBlock, Reading
from whyraise.index import Wording
from whyraise.match import Match, line_ends, search
from whyraise.regions import Region, Regions
from whyraise.scanner import Hits
from whyraise.squeezed import Squeezed

# Confirmed occurrences of one wording that are kept; hits are never capped, the true message may come late.
MOST_OCCURRENCES = 256

# The innermost frames among which the raising function of a record without literals is looked for.
_RAISING_FRAMES = 3


class Confirmation:
    """Collects the matches of one text; `regions` are made once for all wordings."""

    def __init__(self, text: str, reading: Reading) -> None:
        self._text = text
        self._reading = reading
        self._regions = Regions(text, reading)
        self._done: set[tuple[int, int]] = set()
        self._found: Counter[int] = Counter()
        self.matches: list[Match] = []

    def follow(self, hits: Hits, squeezed: Squeezed, wordings: Callable[[int], Iterable[Wording]]) -> None:
        """Confirm the wordings that the literals found in the text lead to."""
        for literal, end in hits:
            position = squeezed.position(end - 1)
            for wording in wordings(literal):
                if self._found[wording.number] < MOST_OCCURRENCES:
                    self._confirm(wording, self._regions.at(position, line_ends(wording)))

    def at_sites(self, wordings: Callable[[str, str], Iterable[Wording]]) -> None:
        """Confirm the wordings without a literal in the messages of the exceptions that name class and function."""
        for block in self._reading.blocks:
            if block.span.start < block.span.end:
                region = self._regions.at(block.span.start)
                for function in {frame.function for frame in block.frames[-_RAISING_FRAMES:]}:
                    for wording in wordings(block.class_name.rpartition(".")[2], function):
                        self._confirm(wording, region)

    def _confirm(self, wording: Wording, region: Region) -> None:
        key = (wording.number, region.start)
        if key in self._done:
            return
        block = None if region.block is None else self._reading.blocks[region.block]
        found = [] if wording.edge and not self._sides(region, block) else self._search(wording, region, block)
        if found or not wording.edge:
            self._done.add(key)
        self.matches += found
        self._found[wording.number] += len(found)

    def _search(self, wording: Wording, region: Region, block: ExceptionBlock | None) -> list[Match]:
        found = list(search(wording, region))
        if found:
            return found
        parts = (search_part(wording, region, side) for side in self._sides(region, block))
        return [part for part in parts if part][:1]

    def _sides(self, region: Region, block: ExceptionBlock | None) -> tuple[str, ...]:
        head, tail = (block.cut_head, block.cut_tail) if block else (False, False)
        return cut_sides(region, self._text, head=head, tail=tail)
