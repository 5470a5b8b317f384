"""Finds the region of a paste that a message may fill: an exception's message, or a line with its continuation lines.

Line ends at which a text was only wrapped are replaced by marks of one character, so that offsets do not change:
`FOLD` if the line was wrapped at a fixed width, `BREAK` if it was wrapped between two words.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Span

# Both are whitespace to Python, and neither ends a line for `.` in RE2.
FOLD, BREAK = "\v", "\f"

# What programs write at the end of a message that they truncate.
ELLIPSES = ("...", "…")

# No terminal or issue tracker is narrower than this; two shorter lines are not one wrapped line.
_NARROWEST = 30
# Outside of exceptions, a message is rarely wrapped into more lines than this.
_MOST_LINES = 40
# Lines that have a prefix of this length in common are entries of one log, not one wrapped line.
_LOG_PREFIX = 6
_DIGITS = r"\d+"
_IN_WORD = r"[\w./\\-]"
# How many lines on either side show the width that a text was wrapped at.
_NEIGHBOURS = 6
# A line of more than three such pieces is read in windows of three pieces.
_PIECE = 16 * 1024

# What is never the continuation of a line, however long that line is.
_LINE_START = (
    r'\s*(?:File "|Traceback|(?![a-z]\w*(?:\s|$))\w[\w.]*(?:Error|Exception|Warning)\b'
    r"|[-*+•] |\d+[.)] |\[|>>> |[A-Z]+: )"
)


class Region(NamedTuple):
    """A part of the cleaned text: `text` is the text from `start` to `end`, with its wraps marked.

    `block` is the number of the exception whose message it is, or None. `echo` is true for a source line that a
    traceback quotes.
    """

    start: int
    end: int
    text: str
    block: int | None
    echo: bool


class Regions:
    """The regions of one cleaned text, each built once."""

    def __init__(self, text: str, reading: Reading) -> None:
        self._text = text
        messages = sorted((block.span, number) for number, block in enumerate(reading.blocks))
        self._messages = [span for span, _ in messages]
        self._blocks = [number for _, number in messages]
        self._ends = [block.ends for block in reading.blocks]
        self._echoes = sorted(span for block in reading.blocks for span in block.source_lines)
        self._cached: dict[tuple[int, int], Region] = {}

    def at(self, position: int, *, multiline: bool = False) -> Region:
        """Return the region around a position. `multiline`: the wording that is searched for contains line ends."""
        block = _inside(self._messages, position)
        if block is not None and self._messages[block].end - self._messages[block].start <= 3 * _PIECE:
            span, multiline = self._messages[block], False
        else:
            span = self._lines(position) if multiline else self._line(position)
        key = (span.start, multiline)
        if key not in self._cached:
            self._cached[key] = self._region(span, block, position, multiline)
        return self._cached[key]

    def message_above(self, position: int) -> Region | None:
        """Return the region of the message above a position in lines that may belong to that message."""
        number = bisect_right(self._messages, (position, 1 << 62)) - 1
        if number < 0 or position >= max(self._ends[self._blocks[number]], default=0):
            return None
        return self.at(self._messages[number].start)

    def with_other_ends(self, region: Region) -> list[Region]:
        """Return the regions of a message up to each place where it may end; the shortest comes first."""
        ends = () if region.block is None else self._ends[region.block]
        return [region._replace(end=end, text=_mark_wraps(self._text, Span(region.start, end))) for end in ends]

    def _lines(self, position: int) -> Span:
        """Return the whole text if it is short, else the three pieces around a position."""
        piece = position // _PIECE
        whole = len(self._text) <= 3 * _PIECE
        return (
            Span(0, len(self._text))
            if whole
            else Span(max(0, piece - 1) * _PIECE, min((piece + 2) * _PIECE, len(self._text)))
        )

    def _line(self, position: int) -> Span:
        start = self._text.rfind("\n", 0, position) + 1
        end = _find_or(self._text, "\n", position, len(self._text))
        if end - start <= 3 * _PIECE:
            return Span(start, end)
        piece = (position - start) // _PIECE
        return Span(max(start, start + (piece - 1) * _PIECE), min(end, start + (piece + 2) * _PIECE))

    def _region(self, span: Span, block: int | None, position: int, multiline: bool) -> Region:
        echo = _inside(self._echoes, position) is not None
        if block is not None and span == self._messages[block]:
            return Region(*span, _mark_wraps(self._text, span), self._blocks[block], echo)
        if multiline:
            return Region(*span, _mark_wraps(self._text, span), None, echo=False)
        if span.end - span.start > _PIECE or echo:
            return Region(*span, self._text[span.start : span.end], None, echo)
        return _wrapped_line(self._text, span)


def ends_with_ellipsis(region: Region) -> bool:
    """Return whether a region ends with an ellipsis, like a message that a program truncated."""
    return region.text.rstrip().endswith(ELLIPSES)


def _inside(spans: list[Span], position: int) -> int | None:
    """Return the index of the span that contains a position, or None."""
    number = bisect_right(spans, (position, 1 << 62)) - 1
    return number if number >= 0 and position < spans[number].end else None


def _find_or(text: str, wanted: str, start: int, default: int) -> int:
    offset = text.find(wanted, start)
    return default if offset < 0 else offset


def _mark_wraps(text: str, span: Span) -> str:
    """Return the text of a span with its wraps marked. The width counts from the start of the first line."""
    first = text.rfind("\n", 0, span.start) + 1
    lines = text[first : span.end].split("\n")
    return _join(lines, _line_ends(lines))[span.start - first :]


def _wrapped_line(text: str, line: Span) -> Region:
    """Join a line with its continuation lines."""
    start, before = line.start, _lines_before(text, line.start)
    after = _lines_after(text, line.end)
    lines = [*before, text[line.start : line.end], *after]
    ends = _line_ends(lines)
    first = last = len(before)
    while first and ends[first - 1] != "\n":
        first -= 1
    while last < len(ends) and ends[last] != "\n":
        last += 1
    start -= sum(len(lines[number]) + 1 for number in range(first, len(before)))
    marked = _join(lines[first : last + 1], ends[first:last])
    return Region(start, start + len(marked), marked, None, echo=False)


def _lines_before(text: str, start: int) -> list[str]:
    """Return the whole lines before an offset: at most `_MOST_LINES`, and at most a piece of text."""
    if not start:
        return []
    floor = max(0, start - 1 - _PIECE)
    lines = text[floor : start - 1].split("\n")
    return (lines[1:] if floor else lines)[-_MOST_LINES:]


def _lines_after(text: str, end: int) -> list[str]:
    """Return the whole lines after an offset: at most `_MOST_LINES`, and at most a piece of text."""
    if end >= len(text):
        return []
    ceiling = min(len(text), end + 1 + _PIECE)
    lines = text[end + 1 : ceiling].split("\n")
    return (lines[:-1] if ceiling < len(text) else lines)[:_MOST_LINES]


def _join(lines: list[str], ends: list[str]) -> str:
    return "".join([lines[0], *(end + line for end, line in zip(ends, lines[1:], strict=True))])


def _line_ends(lines: list[str]) -> list[str]:
    """Return the character for each line end between these lines: a line end, `FOLD` or `BREAK`."""
    lengths = [len(line.rstrip()) for line in lines]
    wraps = [_is_wrap(lines, lengths, number) for number in range(1, len(lines))]
    return [_mark(lines, lengths, wraps, number) for number in range(len(wraps))]


def _is_wrap(lines: list[str], lengths: list[int], number: int) -> bool:
    """Return whether a line may continue the one before it: its first word would not have fitted there."""
    word = lines[number].split(None, 1)[:1]
    if lengths[number - 1] < _NARROWEST or not word or re.match(_LINE_START, lines[number]):
        return False
    if _log_prefix(lines[number]) == _log_prefix(lines[number - 1]):
        return False  # two lines of one log
    return lengths[number - 1] + 1 + len(word[0]) > max(_neighbour_lengths(lengths, number))


def _log_prefix(line: str) -> str:
    """Return the prefix by which lines of one log are recognized: every number is the same."""
    return re.sub(_DIGITS, "0", line[:24])[:_LOG_PREFIX]


def _neighbour_lengths(lengths: list[int], number: int) -> list[int]:
    """Return the lengths of the neighbouring lines, up to the nearest empty line on each side."""
    before, after = lengths[max(0, number - _NEIGHBOURS) : number], lengths[number : number + _NEIGHBOURS]
    start = len(before) - before[::-1].index(0) if 0 in before else 0
    return before[start:] + (after[: after.index(0)] if 0 in after else after)


def _mark(lines: list[str], lengths: list[int], wraps: list[bool], number: int) -> str:
    """Return the mark of a line end: `FOLD` if nothing was lost there, `BREAK` if there was a space, or a line end."""
    if not wraps[number]:
        return "\n"
    wrapped = [
        other for other in range(max(0, number - _NEIGHBOURS), min(len(wraps), number + _NEIGHBOURS)) if wraps[other]
    ]
    width = max(lengths[other] for other in wrapped)
    if len(wrapped) == 1:
        return FOLD if _keeps_everything(lines[number], lines[number + 1]) else BREAK
    # A space at the wrap may have been lost from the line's end, so one character of tolerance is needed.
    if all(width - 1 <= lengths[other] for other in wrapped) or len({len(lines[other]) for other in wrapped}) == 1:
        return FOLD
    return FOLD if lengths[number] == width and _joined_word_length(lines[number], lines[number + 1]) > width else BREAK


def _keeps_everything(before: str, after: str) -> bool:
    """Return whether nothing seems to be lost at a line end: it has a space, or is in the middle of a word or path."""
    return (
        before[-1:].isspace()
        or after[:1].isspace()
        or bool(re.match(_IN_WORD, before[-1:]) and re.match(_IN_WORD, after))
    )


def _joined_word_length(before: str, after: str) -> int:
    """Return the length of the word around a line end if nothing was lost there."""
    return len(before) - before.rfind(" ") + len(after.split(None, 1)[0])
