"""Marks the ranges of a pasted text that mean something: matches, captures, first differences and noise."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from whyraise.lookup.explanation import Explanation, Finding
from whyraise.namedtuples import NamedTuple
from whyraise.reading.paste import Paste

# Only the first occurrences of a finding are marked.
_MAX_OCCURRENCES = 20


class Mark(NamedTuple):
    """A range of the pasted text that means something.

    `kind` is `match`, `capture`, `parting` (the first difference from a record that almost matches) or `noise`.
    `number` counts findings, or records that almost match, from 1. `name` is the placeholder of a capture.
    `anchor` is the HTML id that links lead to.
    """

    start: int
    end: int
    kind: str
    number: int
    name: str
    anchor: str


def marks_of(answer: Explanation) -> Iterator[Mark]:
    """Yield the marks of all findings and of all records that almost match."""
    for number, finding in enumerate(answer.findings, 1):
        yield from _marks_of_finding(number, finding)
    for number, nearest in enumerate(answer.nearest, 1):
        for index, span in enumerate(nearest.spans):
            yield Mark(*span, "parting", number, "", f"p{number}" if index == 0 else "")


def _marks_of_finding(number: int, finding: Finding) -> Iterator[Mark]:
    for count, occurrence in enumerate(finding.occurrences[:_MAX_OCCURRENCES]):
        for index, span in enumerate(occurrence.spans):
            anchor = "" if index else f"m{number}" + (f"-{count + 1}" if count else "")
            yield Mark(*span, "match", number, "", anchor)
    for capture in finding.captures:
        for span in capture.spans:
            yield Mark(*span, "capture", number, capture.name, "")


class NoiseFinder:
    """Finds the characters that the parser left out of a paste."""

    def __init__(self, pasted: Paste) -> None:
        kept = sorted((piece.origin, piece.origin + piece.length) for piece in pasted.pieces if piece.length)
        self._starts, self._ends = [start for start, _ in kept], [end for _, end in kept]

    def within(self, start: int, end: int) -> Iterator[Mark]:
        """Yield the noise between two offsets of the pasted text."""
        position, number = start, max(0, bisect_right(self._starts, start) - 1)
        while number < len(self._starts) and self._starts[number] < end:
            if self._starts[number] > position:
                yield Mark(position, self._starts[number], "noise", 0, "", "")
            position = max(position, self._ends[number])
            number += 1
        if position < end:
            yield Mark(position, end, "noise", 0, "", "")
