"""A finding's message with the captured values set off from the record's own words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from whyraise.lookup.explanation import Finding
from whyraise.namedtuples import NamedTuple
from whyraise.safe_text import visible

_LONGEST = 2000


class Part(NamedTuple):
    """A stretch of a message; `name` is the placeholder's that it stood for, empty for the record's own words."""

    text: str
    name: str


def set_off(finding: Finding, original: str) -> tuple[Part, ...]:
    """Return a message in parts; where its characters are not those of the paste one by one, it is one part.

    White space is where a paste and the message read from it differ, so places are counted without it.
    """
    message = finding.message
    told = [n for span in finding.spans for n in range(span.start, span.end) if not original[n].isspace()]
    places = [n for n, char in enumerate(message) if not char.isspace()]
    if len(message) > _LONGEST or [original[n] for n in told] != [message[n] for n in places]:
        return (Part(visible(message[:_LONGEST]) + (" …" if len(message) > _LONGEST else ""), ""),)
    return tuple(_parts(finding, told, places))


def _parts(finding: Finding, told: list[int], places: list[int]) -> Iterator[Part]:
    at, message = 0, finding.message
    for capture in finding.captures:
        if not capture.spans:
            continue
        first, last = bisect_left(told, capture.spans[0].start), bisect_left(told, capture.spans[-1].end)
        if first >= last or places[first] < at:
            continue
        start, end = places[first], places[last - 1] + 1
        if start > at:
            yield Part(visible(message[at:start]), "")
        yield Part(visible(message[start:end]), capture.name)
        at = end
    if at < len(message):
        yield Part(visible(message[at:]), "")
