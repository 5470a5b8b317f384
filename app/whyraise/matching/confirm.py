"""Turns candidates into matches: each wording is confirmed once in each region that contains one of its literals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from whyraise.matching.match import Match, is_multiline, search
from whyraise.matching.regions import Region, Regions, ends_with_ellipsis
from whyraise.matching.scanner import Hits
from whyraise.matching.squeezed import Squeezed
from whyraise.matching.wording import Wording
from whyraise.names import bare_name
from whyraise.reading.exceptions import ExceptionBlock, Reading
from whyraise.reading.paste import Span

# The most matches of one wording. Hits have no limit, since the true message may come late.
MOST_OCCURRENCES = 256

# All literals of a wording are within this many bytes of each other, whitespace not counted.
_NEARBY = 8 * 1024
# After this many hits without the other literals nearby, one search of the text for them saves time.
_MOST_FAILED_HITS = 64

# How many of the innermost frames are searched for the raising function of a record without literals.
_RAISING_FRAMES = 3


class Confirmation:
    """Collects the matches of one text; `regions` are built once for all wordings."""

    def __init__(self, text: str, reading: Reading) -> None:
        self._stripped = Span(len(text) - len(text.lstrip()), len(text.rstrip()))
        self._reading = reading
        # Whether a message is truncated inside the paste. If not, wordings are only truncated at an ellipsis or the
        # paste's ends.
        self._truncated = any(block.truncated_end and block.span.end < self._stripped.end for block in reading.blocks)
        self._regions = Regions(text, reading)
        self._confirmed: set[tuple[int, int]] = set()
        self._remaining: defaultdict[int, int] = defaultdict(lambda: MOST_OCCURRENCES)
        self._failed_hits: Counter[int] = Counter()
        self._ends: Counter[int] = Counter()
        self.matches: list[Match] = []

    def confirm_hits(self, hits: Hits, squeezed: Squeezed, wordings: Callable[[int], Iterable[Wording]]) -> None:
        """Confirm the wordings of the literals that were found in the text."""
        data = squeezed.data
        candidates: dict[int, list[Wording]] = {}
        # Up to which byte all wordings of a literal are confirmed: a literal may be found at every byte.
        reached: dict[int, int] = {}
        for literal, end in hits:
            known = candidates.get(literal)
            if known is None:
                known = candidates[literal] = list(wordings(literal))
            if not known or end <= reached.get(literal, 0):
                continue
            nearby = data[max(0, end - _NEARBY) : end + _NEARBY]
            truncated = self._truncated or end < _NEARBY or end > len(data) - _NEARBY or b"..." in nearby
            reached[literal] = min(self._try(wording, end, nearby, squeezed, truncated=truncated) for wording in known)
            if any(self._remaining[wording.number] <= 0 for wording in known):
                candidates[literal] = [wording for wording in known if self._remaining[wording.number] > 0]

    def _try(self, wording: Wording, end: int, nearby: bytes, squeezed: Squeezed, *, truncated: bool) -> int:
        """Confirm a wording around a hit if its other literals are nearby; return up to which byte that was done.

        `truncated`: the text may be truncated here, so that other literals are missing.
        """
        if truncated or all(needed in nearby for needed in wording.needed):
            position = squeezed.position(end - 1)
            region = self._regions.at(position, multiline=is_multiline(wording))
            message = self._regions.message_above(position) if region.block is None else None
            for tried in (message, region):
                if tried and self._remaining[wording.number] > 0:
                    self._confirm(wording, tried)
            return squeezed.byte(region.end)
        self._count_failed_hit(wording, squeezed.data)
        return 0

    def _count_failed_hit(self, wording: Wording, data: bytes) -> None:
        """Count a hit without the other literals; after many, drop the wording if the whole text lacks them."""
        self._failed_hits[wording.number] += 1
        many = self._failed_hits[wording.number] == _MOST_FAILED_HITS
        if many and not all(needed in data for needed in wording.needed):
            self._remaining[wording.number] = 0

    def confirm_sites(
        self, by_site: Callable[[str, str], Iterable[Wording]], by_class: Callable[[str], Iterable[Wording]]
    ) -> None:
        """Confirm the wordings without literals in the messages of exceptions that have their class and function.

        If an exception has no frames, the class alone is enough.
        """
        for block in self._reading.blocks:
            functions = {frame.function for frame in block.frames[-_RAISING_FRAMES:]}
            class_name = bare_name(block.class_name)
            known = [wording for function in sorted(functions) for wording in by_site(class_name, function)]
            if class_name and not block.frames:
                known += by_class(class_name)
            if known and block.span.start < block.span.end:
                region = self._regions.at(block.span.start)
                for wording in known:
                    self._confirm(wording, region)

    def _confirm(self, wording: Wording, region: Region) -> None:
        key = (wording.number, region.start)
        if key in self._confirmed:
            return
        block = None if region.block is None else self._reading.blocks[region.block]
        found = [] if wording.edge and not self._sides(region, block) else self._search(wording, region, block)
        if found or not wording.edge:
            self._confirmed.add(key)
        found = [match for match in found if match.span.start >= self._ends[wording.number]]  # regions may overlap
        if found:
            self._ends[wording.number] = found[-1].span.end
        self.matches += found
        self._remaining[wording.number] -= len(found)

    def _search(self, wording: Wording, region: Region, block: ExceptionBlock | None) -> list[Match]:
        found = self._search_ends(wording, region)
        if found:
            return found
        sides = self._sides(region, block)
        if not sides:
            return []
        from whyraise.matching.truncated import search_truncated  # noqa: PLC0415  # few pastes are truncated

        parts = (search_truncated(wording, region, side) for side in sides)
        return [part for part in parts if part][:1]

    def _search_ends(self, wording: Wording, region: Region) -> list[Match]:
        """Search a region, or a message up to where it may end: a placeholder at its end covers no line that may be
        none of it, and a wording that is not found in the message may go on in the lines below.
        """
        ends = self._regions.with_other_ends(region)
        if len(ends) > 1 and any(search(wording, ends[-1])):
            covers_end = wording.chain is not None and wording.chain.literals and wording.chain.gaps[-1]
            tried = ends if covers_end else [region, *(longer for longer in ends if longer.end > region.end)]
            return next(found for end in tried if (found := list(search(wording, end))))
        return [] if len(ends) > 1 else list(search(wording, region))

    def _sides(self, region: Region, block: ExceptionBlock | None) -> tuple[str, ...]:
        """Return the sides on which a region may be truncated: the text or message ends there, or has an ellipsis."""
        truncated_message = block is not None and block.truncated_end
        tail = region.end >= self._stripped.end or ends_with_ellipsis(region) or truncated_message
        head = region.start <= self._stripped.start
        return ("tail",) * tail + ("head",) * head
