"""Removes the noise of a pasted text and maps the offsets of the cleaned text to those of the original.

All other modules read `Paste.text` and use its offsets; only answers are mapped back, with `Paste.original_spans`.
Offsets count Unicode code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from whyraise.namedtuples import NamedTuple
from whyraise.reading import noise, processes
from whyraise.reading.noise import Edit
from whyraise.reading.prefixes import TITLE, find_prefixes


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


class Stream(NamedTuple):
    """A range of the cleaned text that one process wrote; `rank` and `process` name the process if they are known."""

    start: int
    end: int
    rank: int | None
    process: str


class Piece(NamedTuple):
    """A range of the cleaned text: its offset there, and its offset and length in the original.

    A piece that has the same length in both is a copy; any other piece replaces the original text.
    """

    start: int
    origin: int
    length: int


class Paste(NamedTuple):
    """A cleaned paste: `pieces` cover `text` in order, and `streams` are the ranges that each process wrote."""

    original: str
    text: str
    pieces: tuple[Piece, ...]
    streams: tuple[Stream, ...]

    def original_spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Return the spans of the original for the cleaned text from `start` to `end`; adjacent spans are merged."""
        spans: list[Span] = []
        number = bisect_right(self.pieces, start, key=lambda piece: piece.start) - 1
        while start < end:
            piece = self.pieces[number]
            piece_end = self.pieces[number + 1].start if number + 1 < len(self.pieces) else len(self.text)
            stop = min(end, piece_end)
            if piece.length == piece_end - piece.start:
                origin = piece.origin + start - piece.start
                spans.append(Span(origin, origin + stop - start))
            else:
                spans.append(Span(piece.origin, piece.origin + piece.length))
            start, number = stop, number + 1
        return merge_spans(spans)


def merge_spans(spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans in order; spans that overlap or touch are merged, empty ones are dropped."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        elif span.start < span.end:
            merged.append(span)
    return tuple(merged)


# A layer returns the edits that remove one kind of noise, in the order of the text.
Layer = Callable[[str], Sequence[Edit]]

# Layers are removed from the outside in: first what a terminal or a page added last. Each rank draws its own boxes and
# writes its own log prefixes, so these are removed after the lines of each rank are joined.
_OUTER_LAYERS: tuple[Layer, ...] = (
    noise.find_terminal_codes,
    noise.find_html,
    noise.find_links,
    noise.find_json_strings,
    noise.find_terminal_codes,
    noise.find_quote_marks,
    find_prefixes,
)
_MIDDLE_LAYERS: tuple[Layer, ...] = (find_prefixes,)
_INNER_LAYERS: tuple[Layer, ...] = (
    noise.find_pytest_marks,
    noise.find_group_margins,
    noise.find_boxes,
    find_prefixes,
)


def clean(text: str) -> Paste:
    """Remove the noise of terminals, loggers, launchers and trackers from a pasted text."""
    original = Paste(text, text, (Piece(0, 0, len(text)),), (Stream(0, len(text), None, ""),))
    pasted = _group_by_process(_remove_layers(_OUTER_LAYERS, original))
    pasted = _restore_line_order(_remove_layers(_MIDDLE_LAYERS, pasted))
    return _remove_layers(_INNER_LAYERS, pasted)


def normalize(pasted: Paste) -> Paste:
    """Replace typographic punctuation and combining marks in a cleaned text by the characters that programs write."""
    return pasted if pasted.text.isascii() else _remove_layers((noise.find_typography,), pasted)


def _remove_layers(layers: Sequence[Layer], pasted: Paste) -> Paste:
    for layer in layers:
        pasted = _apply(layer(pasted.text), pasted)
    return pasted


def _apply(edits: Sequence[Edit], pasted: Paste) -> Paste:
    if not edits:
        return pasted
    pieces = tuple(_edit_pieces(pasted.pieces, edits, len(pasted.text)))
    ends = [end for _, end, _ in edits]
    shifts = list(accumulate((len(replacement) - (end - start) for start, end, replacement in edits), initial=0))
    bounds = [position + shifts[bisect_right(ends, position)] for position in _bounds(pasted.streams)]
    streams = (
        Stream(start, end, stream.rank, stream.process)
        for (start, end), stream in zip(pairwise(bounds), pasted.streams, strict=True)
    )
    return Paste(pasted.original, _edit_text(pasted.text, edits), pieces, tuple(streams))


def _bounds(streams: Sequence[Stream]) -> list[int]:
    return [stream.start for stream in streams] + [streams[-1].end]


def _edit_text(text: str, edits: Iterable[Edit]) -> str:
    parts, position = [], 0
    for start, end, replacement in edits:
        parts += [text[position:start], replacement]
        position = end
    return "".join(parts) + text[position:]


def _edit_pieces(pieces: Sequence[Piece], edits: Iterable[Edit], length: int) -> list[Piece]:
    """Return the pieces of the edited text: unchanged ranges stay copies, a replacement maps to what it replaces."""
    edited: list[Piece] = []
    old = _Pieces(pieces, length)
    position = shift = 0
    for start, end, replacement in edits:
        edited += old.slices(position, start, shift)
        if replacement:
            replaced = old.slices(start, end, 0)
            origin_end = replaced[-1].origin + replaced[-1].length
            edited.append(Piece(start + shift, replaced[0].origin, origin_end - replaced[0].origin))
        position, shift = end, shift + len(replacement) - (end - start)
    return edited + old.slices(position, length, shift)


class _Pieces:
    """The pieces of a text; their starts are also in a list of their own, because that is searched faster."""

    def __init__(self, pieces: Sequence[Piece], length: int) -> None:
        self._pieces = pieces
        self._starts = [piece.start for piece in pieces] + [length]

    def slices(self, start: int, end: int, shift: int) -> list[Piece]:
        """Return the pieces that cover a range of their text, with their starts moved by `shift`."""
        if start >= end:
            return []
        found: list[Piece] = []
        number = bisect_right(self._starts, start) - 1
        while start < end:
            (piece_start, origin, length), piece_end = self._pieces[number], self._starts[number + 1]
            stop = min(end, piece_end)
            if length == piece_end - piece_start:
                origin, length = origin + start - piece_start, stop - start
            found.append(Piece(start + shift, origin, length))
            start, number = stop, number + 1
        return found


def _group_by_process(pasted: Paste) -> Paste:
    """Remove the labels of processes, and join the lines of each process."""
    labels = processes.find_labels(pasted.text)
    if not labels:
        return pasted
    if wraps := processes.find_wraps_of_labelled(pasted.text, labels):
        pasted = _apply(wraps, pasted)
        labels = processes.find_labels(pasted.text)
    return _rearrange(pasted, processes.lines_by_process(pasted.text, labels))


def _restore_line_order(pasted: Paste) -> Paste:
    """Reverse the lines of tracebacks in a log that shows its newest line first."""
    if TITLE not in pasted.text:
        return pasted
    from whyraise.reading.line_order import find_reversed  # noqa: PLC0415  # needed for whole tracebacks alone

    reversed_ranges = find_reversed(pasted.text)
    if not reversed_ranges:
        return pasted
    lines = [
        (stream.rank, stream.process, list(_ordered_ranges(stream, reversed_ranges, pasted.text)))
        for stream in pasted.streams
    ]
    return _rearrange(pasted, lines)


def _ordered_ranges(stream: Stream, reversed_ranges: Sequence[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a stream in the right order: the lines of reversed tracebacks one by one, the rest as is."""
    position = stream.start
    for start, end in reversed_ranges:
        if position <= start and end <= stream.end:
            yield position, start
            lines = [match.span() for match in re.compile(r"[^\n]*\n|[^\n]+\Z").finditer(text, start, end)]
            yield from reversed(lines)
            position = end
    yield position, stream.end


def _rearrange(pasted: Paste, lines_by_process: Sequence[processes.Lines]) -> Paste:
    """Return a paste made of these ranges of its text; a range that does not end in a newline gets one."""
    text, parts, pieces, streams, position = pasted.text, list[str](), list[Piece](), list[Stream](), 0
    old = _Pieces(pasted.pieces, len(text))
    for rank, process, lines in lines_by_process:
        stream_start = position
        for start, end in lines:
            pieces += old.slices(start, end, position - start)
            parts.append(text[start:end])
            position += end - start
            if start < end and text[end - 1] != "\n":
                pieces.append(Piece(position, pieces[-1].origin + pieces[-1].length, 0))
                parts.append("\n")
                position += 1
        streams.append(Stream(stream_start, position, rank, process))
    return Paste(pasted.original, "".join(parts), tuple(pieces), tuple(streams))
