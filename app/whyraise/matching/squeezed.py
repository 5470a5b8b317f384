"""A text as bytes without white space, and the way back from there.

White space is the least reliable thing in a paste, so candidates are found where there is none. The way back is kept
as counts per block and worked out only for the hits: a position per character costs a hundred times as much.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from whyraise.namedtuples import NamedTuple

_SPACE = b" \t\n\r\v\f\x1c\x1d\x1e\x1f"
# Every byte of UTF-8 that begins no character.
_CONTINUATION = bytes(range(0x80, 0xC0))
# Compiled when a text needs it: that takes as long as squeezing 100 KB.
_UNICODE_SPACE = r"[^\S\x00-\x7f]"
_BLOCK = 512


class Kept(NamedTuple):
    """How many bytes of `data` are left without `dropped`: `counts[i]` before block `i`."""

    data: bytes
    dropped: bytes
    counts: tuple[int, ...]

    def rank(self, position: int) -> int:
        """Return how many kept bytes stand before a position of `data`."""
        block = position // _BLOCK
        return self.counts[block] + len(self.data[block * _BLOCK : position].translate(None, self.dropped))

    def select(self, number: int) -> int:
        """Return the position in `data` of the kept byte with that number, counting from 0."""
        block = bisect_right(self.counts, number) - 1
        low, high = block * _BLOCK, min((block + 1) * _BLOCK, len(self.data))
        while low < high:
            middle = (low + high) // 2
            if self.rank(middle + 1) <= number:
                low = middle + 1
            else:
                high = middle
        return low


class Squeezed(NamedTuple):
    """A text's UTF-8 bytes without white space, and where each stood."""

    data: bytes
    spaces: Kept
    characters: Kept | None

    def position(self, byte: int) -> int:
        """Return the code point of the text at which a byte of `data` stands."""
        raw = self.spaces.select(byte)
        return raw if self.characters is None else self.characters.rank(raw + 1) - 1

    def byte(self, position: int) -> int:
        """Return how many bytes of `data` stand before a code point of the text."""
        return self.spaces.rank(position if self.characters is None else self.characters.select(position))


def squeeze(text: str) -> Squeezed:
    """Squeeze a text; any string will do, lone surrogates included."""
    if not text.isascii():
        text = re.sub(_UNICODE_SPACE, " ", text)
    raw = text.encode("utf-8", "surrogatepass")
    characters = None if len(raw) == len(text) else _kept(raw, _CONTINUATION)
    return Squeezed(raw.translate(None, _SPACE), _kept(raw, _SPACE), characters)


def _kept(data: bytes, dropped: bytes) -> Kept:
    blocks = range(0, len(data), _BLOCK)
    counts = accumulate((len(data[at : at + _BLOCK].translate(None, dropped)) for at in blocks), initial=0)
    return Kept(data, dropped, tuple(counts))
