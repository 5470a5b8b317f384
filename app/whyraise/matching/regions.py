"""The stretch of a paste that a message may fill: an exception's message, or a line with the lines it was wrapped into.

Line ends at which a text was only wrapped are marked, one character for one, so that offsets stay: `FOLD` where the
line was cut at a width, `BREAK` where it was broken between two words.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Span

# Both are white space to Python, and neither ends a line for `.` in RE2.
FOLD, BREAK = "\v", "\f"

# What stands where a program cut a message short.
ELLIPSES = ("...", "…")

# Terminals and trackers narrower than this are not in use; below it a "wrap" is two short lines.
_NARROWEST = 30
# A message is rarely wrapped into more lines than this outside an exception that was read.
_MOST_LINES = 40
# Lines that begin alike in so many characters are entries of one log, not one wrapped line.
_SHAPE = 6
_DIGITS = r"\d+"
_IN_WORD = r"[\w./\\-]"
# Lines on either side that show the width a text was wrapped at.
_NEAR = 6
# A line longer than this is looked at in windows of three such pieces.
_PIECE = 16 * 1024

# What begins a line of its own, whatever the width of the line before.
_FRESH = (
    r'\s*(?:File "|Traceback|(?![a-z]\w*(?:\s|$))\w[\w.]*(?:Error|Exception|Warning)\b'
    r"|[-*+•] |\d+[.)] |\[|>>> |[A-Z]+: )"
)


class Region(NamedTuple):
    """A stretch of the cleaned text: `text` is what stands from `start` to `end`, wraps marked.

    `block` is the number of the exception whose message it is, or None. `echo` says that it is a source line that a
    traceback quotes.
    """

    start: int
    end: int
    text: str
    block: int | None
    echo: bool


class Regions:
    """The regions of one cleaned text, each made once."""

    def __init__(self, text: str, reading: Reading) -> None:
        self._text = text
        messages = sorted((block.span, number) for number, block in enumerate(reading.blocks))
        self._messages = [span for span, _ in messages]
        self._blocks = [number for _, number in messages]
        self._echoes = sorted(span for block in reading.blocks for span in block.echoes)
        self._made: dict[tuple[int, int], Region] = {}

    def at(self, position: int, *, multiline: bool = False) -> Region:
        """Return the region around a position; `multiline` for a wording with line ends of its own."""
        block = _inside(self._messages, position)
        if block is not None and self._messages[block].end - self._messages[block].start <= 3 * _PIECE:
            span, multiline = self._messages[block], False
        else:
            span = self._lines(position) if multiline else self._line(position)
        key = (span.start, multiline)
        if key not in self._made:
            self._made[key] = self._region(span, block, position, multiline)
        return self._made[key]

    def _lines(self, position: int) -> Span:
        """Return the whole text where it is short, else three pieces of it."""
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
            return Region(*span, _marked(self._text, span), self._blocks[block], echo)
        if multiline:
            return Region(*span, _marked(self._text, span), None, echo=False)
        if span.end - span.start > _PIECE or echo:
            return Region(*span, self._text[span.start : span.end], None, echo)
        return _wrapped_line(self._text, span)


def ends_torn(region: Region) -> bool:
    """Say whether a region ends in an ellipsis, as a message does that a program cut short."""
    return region.text.rstrip().endswith(ELLIPSES)


def _inside(spans: list[Span], position: int) -> int | None:
    """Return the number of the span that holds a position."""
    number = bisect_right(spans, (position, 1 << 62)) - 1
    return number if number >= 0 and position < spans[number].end else None


def _find_or(text: str, what: str, start: int, default: int) -> int:
    found = text.find(what, start)
    return default if found < 0 else found


def _marked(text: str, span: Span) -> str:
    """Return a stretch of lines with its wraps marked; the width counts from the first line's start."""
    first = text.rfind("\n", 0, span.start) + 1
    lines = text[first : span.end].split("\n")
    return _joined(lines, _line_ends(lines))[span.start - first :]


def _wrapped_line(text: str, line: Span) -> Region:
    """Return a line with those it was wrapped into."""
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
    marked = _joined(lines[first : last + 1], ends[first:last])
    return Region(start, start + len(marked), marked, None, echo=False)


def _lines_before(text: str, start: int) -> list[str]:
    """Return up to `_MOST_LINES` whole lines before a line's start, no more than a piece of text."""
    if not start:
        return []
    floor = max(0, start - 1 - _PIECE)
    lines = text[floor : start - 1].split("\n")
    return (lines[1:] if floor else lines)[-_MOST_LINES:]


def _lines_after(text: str, end: int) -> list[str]:
    """Return up to `_MOST_LINES` whole lines after a line's end, no more than a piece of text."""
    if end >= len(text):
        return []
    ceiling = min(len(text), end + 1 + _PIECE)
    lines = text[end + 1 : ceiling].split("\n")
    return (lines[:-1] if ceiling < len(text) else lines)[:_MOST_LINES]


def _joined(lines: list[str], ends: list[str]) -> str:
    return "".join([lines[0], *(end + line for end, line in zip(ends, lines[1:], strict=True))])


def _line_ends(lines: list[str]) -> list[str]:
    """Return what each line end between these lines is: a line end, `FOLD` or `BREAK`."""
    lengths = [len(line.rstrip()) for line in lines]
    wraps = [_is_wrap(lines, lengths, number) for number in range(1, len(lines))]
    return [_mark(lines, lengths, wraps, number) for number in range(len(wraps))]


def _is_wrap(lines: list[str], lengths: list[int], number: int) -> bool:
    """Say whether a line may go on the one before it: its first word would not have fitted there."""
    word = lines[number].split(None, 1)[:1]
    if lengths[number - 1] < _NARROWEST or not word or re.match(_FRESH, lines[number]):
        return False
    if _shape(lines[number]) == _shape(lines[number - 1]):
        return False  # two lines of one log
    return lengths[number - 1] + 1 + len(word[0]) > max(_paragraph(lengths, number))


def _shape(line: str) -> str:
    """Return how a line begins, whatever its numbers."""
    return re.sub(_DIGITS, "0", line[:24])[:_SHAPE]


def _paragraph(lengths: list[int], number: int) -> list[int]:
    """Return the lengths of the lines near a line, as far as no empty line parts them from it."""
    before, after = lengths[max(0, number - _NEAR) : number], lengths[number : number + _NEAR]
    start = len(before) - before[::-1].index(0) if 0 in before else 0
    return before[start:] + (after[: after.index(0)] if 0 in after else after)


def _mark(lines: list[str], lengths: list[int], wraps: list[bool], number: int) -> str:
    """Tell a line cut at a width, where nothing was lost, from one broken between words, where a space was."""
    if not wraps[number]:
        return "\n"
    near = [other for other in range(max(0, number - _NEAR), min(len(wraps), number + _NEAR)) if wraps[other]]
    width = max(lengths[other] for other in near)
    if len(near) == 1:
        return FOLD if _keeps_everything(lines[number], lines[number + 1]) else BREAK
    # A space at the cut may have been lost from the line's end, hence one character of tolerance.
    if all(width - 1 <= lengths[other] for other in near) or len({len(lines[other]) for other in near}) == 1:
        return FOLD
    return FOLD if lengths[number] == width and _torn(lines[number], lines[number + 1]) > width else BREAK


def _keeps_everything(before: str, after: str) -> bool:
    """Say whether nothing seems to be missing at a line end: a space is there, or the middle of a word or path."""
    return (
        before[-1:].isspace()
        or after[:1].isspace()
        or bool(re.match(_IN_WORD, before[-1:]) and re.match(_IN_WORD, after))
    )


def _torn(before: str, after: str) -> int:
    """Return how long the word would be that a line end tears, were nothing lost there."""
    return len(before) - before.rfind(" ") + len(after.split(None, 1)[0])
