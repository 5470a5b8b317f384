"""A pasted text without its noise, and where each kept character stood.

Everything downstream reads `Paste.text` and speaks in its offsets; only answers are translated back, with
`Paste.original_spans`. Offsets count Unicode code points.
"""

from __future__ import annotations

from bisect import bisect_right

from whyraise.shape import NamedTuple


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


class Stream(NamedTuple):
    """A stretch of the cleaned text that one process wrote; `rank` is its process rank where the paste names it."""

    start: int
    end: int
    rank: int | None


class Paste(NamedTuple):
    """A pasted text, cleaned.

    `clean_starts[i]` in `text` is where the piece begins that stood at `original_starts[i]` in `original`; a piece
    runs to the next one's start. Both tuples begin with the first piece, and `clean_starts` ascends.
    """

    original: str
    text: str
    clean_starts: tuple[int, ...]
    original_starts: tuple[int, ...]
    streams: tuple[Stream, ...]

    def original_spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Return where the cleaned characters `start` to `end` stood in the original, joined where they touch."""
        spans: list[Span] = []
        piece = bisect_right(self.clean_starts, start) - 1
        while start < end:
            stop = self.clean_starts[piece + 1] if piece + 1 < len(self.clean_starts) else len(self.text)
            origin = self.original_starts[piece] + start - self.clean_starts[piece]
            until = min(end, stop)
            spans.append(Span(origin, origin + until - start))
            start, piece = until, piece + 1
        return joined(spans)


def joined(spans: list[Span]) -> tuple[Span, ...]:
    """Return spans in order, those that touch made one."""
    whole: list[Span] = []
    for span in sorted(spans):
        if whole and span.start <= whole[-1].end:
            whole[-1] = Span(whole[-1].start, max(whole[-1].end, span.end))
        else:
            whole.append(span)
    return tuple(whole)


def clean(text: str) -> Paste:
    """Remove the noise of terminals, loggers, launchers and trackers from a pasted text."""
    return Paste(text, text, (0,), (0,), (Stream(0, len(text), None),))
