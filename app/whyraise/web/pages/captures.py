"""Splits a finding's message into the captured values and the text of the record around them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from whyraise.lookup.explanation import Finding
from whyraise.namedtuples import NamedTuple
from whyraise.safe_text import visible

# A longer message is truncated, and not split.
_MAX_LENGTH = 2000


class Part(NamedTuple):
    """A part of a message; `name` is the placeholder that captured it, or empty for the record's own text."""

    text: str
    name: str


def message_parts(finding: Finding, original: str) -> tuple[Part, ...]:
    """Split a finding's message at its captures; it stays one part if its characters differ from those of the paste.

    Whitespace is ignored in the comparison, because the message that was read may differ from the paste in it.
    """
    message = finding.message
    in_paste = [n for span in finding.spans for n in range(span.start, span.end) if not original[n].isspace()]
    in_message = [n for n, char in enumerate(message) if not char.isspace()]
    if len(message) > _MAX_LENGTH or [original[n] for n in in_paste] != [message[n] for n in in_message]:
        return (Part(visible(message[:_MAX_LENGTH]) + (" …" if len(message) > _MAX_LENGTH else ""), ""),)
    return tuple(_split(finding, in_paste, in_message))


def _split(finding: Finding, in_paste: list[int], in_message: list[int]) -> Iterator[Part]:
    """Yield the parts of a message, given the offsets of its characters in the paste and in the message."""
    position, message = 0, finding.message
    for capture in finding.captures:
        if not capture.spans:
            continue
        first, last = bisect_left(in_paste, capture.spans[0].start), bisect_left(in_paste, capture.spans[-1].end)
        if first >= last or in_message[first] < position:
            continue
        start, end = in_message[first], in_message[last - 1] + 1
        if start > position:
            yield Part(visible(message[position:start]), "")
        yield Part(visible(message[start:end]), capture.name)
        position = end
    if position < len(message):
        yield Part(visible(message[position:]), "")
