"""Removes whitespace from a text, as bytes, and converts offsets between both.

Whitespace is the least reliable thing in a paste, so candidates are searched without it. Only counts per block are
stored to convert offsets, and offsets are computed for the hits alone: one offset per character would cost a hundred
times as much.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from whyraise.namedtuples import NamedTuple

_SPACE = b" \t\n\r\v\f\x1c\x1d\x1e\x1f"
# Every byte of UTF-8 that begins no character.
_CONTINUATION = bytes(range(0x80, 0xC0))
# Compiled only when a text needs it: that takes as long as removing the whitespace of 100 KB.
_UNICODE_SPACE = r"[^\S\x00-\x7f]"
_BLOCK = 512


class Filtered(NamedTuple):
    """The bytes of `data` without those in `dropped`: `counts[i]` is how many are left before block `i`."""

    data: bytes
    dropped: bytes
    counts: tuple[int, ...]

    def count_before(self, offset: int) -> int:
        """Return how many bytes are left before an offset of `data`."""
        block = offset // _BLOCK
        return self.counts[block] + len(self.data[block * _BLOCK : offset].translate(None, self.dropped))

    def offset_of(self, index: int) -> int:
        """Return the offset in `data` of the byte with this 0-based index among those that are left."""
        block = bisect_right(self.counts, index) - 1
        low, high = block * _BLOCK, min((block + 1) * _BLOCK, len(self.data))
        while low < high:
            middle = (low + high) // 2
            if self.count_before(middle + 1) <= index:
                low = middle + 1
            else:
                high = middle
        return low


class Squeezed(NamedTuple):
    """A text's UTF-8 bytes without whitespace, and what is needed to find their offsets in the text.

    `characters` is None if every character takes one byte.
    """

    data: bytes
    spaces: Filtered
    characters: Filtered | None

    def position(self, byte: int) -> int:
        """Return the offset in the text, in code points, of a byte of `data`."""
        raw = self.spaces.offset_of(byte)
        return raw if self.characters is None else self.characters.count_before(raw + 1) - 1

    def byte(self, position: int) -> int:
        """Return how many bytes of `data` come before a code point of the text."""
        return self.spaces.count_before(position if self.characters is None else self.characters.offset_of(position))


def squeeze(text: str) -> Squeezed:
    """Remove the whitespace of a text. Any string is valid, lone surrogates included."""
    if not text.isascii():
        text = re.sub(_UNICODE_SPACE, " ", text)
    raw = text.encode("utf-8", "surrogatepass")
    characters = None if len(raw) == len(text) else _filter(raw, _CONTINUATION)
    return Squeezed(raw.translate(None, _SPACE), _filter(raw, _SPACE), characters)


def _filter(data: bytes, dropped: bytes) -> Filtered:
    blocks = range(0, len(data), _BLOCK)
    counts = accumulate((len(data[start : start + _BLOCK].translate(None, dropped)) for start in blocks), initial=0)
    return Filtered(data, dropped, tuple(counts))
