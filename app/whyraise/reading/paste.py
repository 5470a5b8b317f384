"""A pasted text without its noise, and where each kept character stood.

Everything downstream reads `Paste.text` and speaks in its offsets; only answers are translated back, with
`Paste.original_spans`. Offsets count Unicode code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from whyraise.namedtuples import NamedTuple
from whyraise.reading import noise, prefixes


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


class Stream(NamedTuple):
    """A stretch of the cleaned text that one process wrote; `rank` and `process` are its names where it has any."""

    start: int
    end: int
    rank: int | None
    process: str


class Piece(NamedTuple):
    """A stretch of the cleaned text: where it begins there, and where and how long it was in the original.

    A piece as long as it was is a copy; any other was written in place of the original.
    """

    start: int
    origin: int
    length: int


class Paste(NamedTuple):
    """A pasted text, cleaned: `pieces` cover `text` in its order, `streams` say which process wrote what."""

    original: str
    text: str
    pieces: tuple[Piece, ...]
    streams: tuple[Stream, ...]

    def original_spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Return where the cleaned characters `start` to `end` stood in the original, joined where they touch."""
        spans: list[Span] = []
        number = bisect_right(self.pieces, start, key=lambda piece: piece.start) - 1
        while start < end:
            piece = self.pieces[number]
            stop = self.pieces[number + 1].start if number + 1 < len(self.pieces) else len(self.text)
            until = min(end, stop)
            if piece.length == stop - piece.start:
                origin = piece.origin + start - piece.start
                spans.append(Span(origin, origin + until - start))
            else:
                spans.append(Span(piece.origin, piece.origin + piece.length))
            start, number = until, number + 1
        return joined(spans)


def joined(spans: list[Span]) -> tuple[Span, ...]:
    """Return spans in order, those that touch made one."""
    whole: list[Span] = []
    for span in sorted(spans):
        if whole and span.start <= whole[-1].end:
            whole[-1] = Span(whole[-1].start, max(whole[-1].end, span.end))
        elif span.start < span.end:
            whole.append(span)
    return tuple(whole)


# A layer names what is to be replaced by what, in the order of the text: `(start, end, replacement)`.
Edit = tuple[int, int, str]
Layer = Callable[[str], Sequence[Edit]]

# From the outside in: what a terminal or a page added last is taken off first. Each rank draws boxes, and logs, for
# itself, so that comes off after the ranks' lines are put together.
OUTER: tuple[Layer, ...] = (
    noise.terminal, noise.markup, noise.links, noise.escapes, noise.terminal, noise.quotes, prefixes.prefixes,
)  # fmt: skip
MIDDLE: tuple[Layer, ...] = (prefixes.prefixes,)
INNER: tuple[Layer, ...] = (noise.tests, noise.groups, noise.boxes, prefixes.prefixes)


def clean(text: str) -> Paste:
    """Remove the noise of terminals, loggers, launchers and trackers from a pasted text."""
    pasted = _each(OUTER, Paste(text, text, (Piece(0, 0, len(text)),), (Stream(0, len(text), None, ""),)))
    return _each(INNER, _oldest_first(_each(MIDDLE, _by_process(pasted))))


def plain(pasted: Paste) -> Paste:
    """Write typographic punctuation and combined letters of a cleaned text as programs do."""
    return pasted if pasted.text.isascii() else _each((noise.typography,), pasted)


def _each(order: Sequence[Layer], pasted: Paste) -> Paste:
    for layer in order:
        pasted = _without(pasted, layer(pasted.text))
    return pasted


def _without(pasted: Paste, edits: Sequence[Edit]) -> Paste:
    if not edits:
        return pasted
    pieces = tuple(_edited(pasted.pieces, edits, len(pasted.text)))
    ends = [end for _, end, _ in edits]
    shifts = list(accumulate((len(written) - (end - start) for start, end, written in edits), initial=0))
    moved = [position + shifts[bisect_right(ends, position)] for position in _bounds(pasted.streams)]
    streams = (
        Stream(*bounds, stream.rank, stream.process)
        for bounds, stream in zip(pairwise(moved), pasted.streams, strict=True)
    )
    return Paste(pasted.original, _replaced(pasted.text, edits), pieces, tuple(streams))


def _bounds(streams: Sequence[Stream]) -> list[int]:
    return [stream.start for stream in streams] + [streams[-1].end]


def _replaced(text: str, edits: Iterable[Edit]) -> str:
    parts, at = [], 0
    for start, end, replacement in edits:
        parts += [text[at:start], replacement]
        at = end
    return "".join(parts) + text[at:]


def _edited(pieces: Sequence[Piece], edits: Iterable[Edit], length: int) -> list[Piece]:
    """Return the pieces of a text after edits: kept stretches stay copies, replacements stand for what they replace."""
    found: list[Piece] = []
    old = _Pieces(pieces, length)
    at = shift = 0
    for start, end, replacement in edits:
        found += old.slices(at, start, shift)
        if replacement:
            before, after = old.slices(start, end, 0), start + shift
            found.append(Piece(after, before[0].origin, before[-1].origin + before[-1].length - before[0].origin))
        at, shift = end, shift + len(replacement) - (end - start)
    return found + old.slices(at, length, shift)


class _Pieces:
    """The pieces of a text of some length, to take stretches of; their starts are kept apart to be searched fast."""

    def __init__(self, pieces: Sequence[Piece], length: int) -> None:
        self._pieces = pieces
        self._starts = [piece.start for piece in pieces] + [length]

    def slices(self, start: int, end: int, shift: int) -> list[Piece]:
        """Return what pieces cover a stretch of their text, moved by `shift`."""
        if start >= end:
            return []
        found: list[Piece] = []
        number = bisect_right(self._starts, start) - 1
        while start < end:
            (begin, origin, size), stop = self._pieces[number], self._starts[number + 1]
            until = min(end, stop)
            if size == stop - begin:
                origin, size = origin + start - begin, until - start
            found.append(Piece(start + shift, origin, size))
            start, number = until, number + 1
        return found


def _by_process(pasted: Paste) -> Paste:
    """Take the prefixes of ranks and processes off, and put the lines of each together."""
    marks = prefixes.marks(pasted.text)
    if not marks:
        return pasted
    if folds := prefixes.folds(pasted.text, marks):
        pasted = _without(pasted, folds)
        marks = prefixes.marks(pasted.text)
    return _arranged(pasted, prefixes.processes(pasted.text, marks))


def _oldest_first(pasted: Paste) -> Paste:
    """Turn the lines of tracebacks around that a log shows newest line first."""
    turned = prefixes.newest_first(pasted.text)
    if not turned:
        return pasted
    parts = [(stream.rank, stream.process, list(_turned(stream, turned, pasted.text))) for stream in pasted.streams]
    return _arranged(pasted, parts)


def _turned(stream: Stream, turned: Sequence[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    at = stream.start
    for start, end in turned:
        if at <= start and end <= stream.end:
            yield at, start
            lines = [m.span() for m in re.compile(r"[^\n]*\n|[^\n]+\Z").finditer(text, start, end)]
            yield from reversed(lines)
            at = end
    yield at, stream.end


def _arranged(pasted: Paste, parts: Sequence[prefixes.Lines]) -> Paste:
    """Return a text made of these stretches of a text; one that ends no line gets a line end."""
    text, written, moved, streams, at = pasted.text, list[str](), list[Piece](), list[Stream](), 0
    old = _Pieces(pasted.pieces, len(text))
    for rank, process, lines in parts:
        start = at
        for line in lines:
            moved += old.slices(*line, at - line[0])
            written.append(text[line[0] : line[1]])
            at += line[1] - line[0]
            if line[0] < line[1] and text[line[1] - 1] != "\n":
                moved.append(Piece(at, moved[-1].origin + moved[-1].length, 0))
                written.append("\n")
                at += 1
        streams.append(Stream(start, at, rank, process))
    return Paste(pasted.original, "".join(written), tuple(moved), tuple(streams))
