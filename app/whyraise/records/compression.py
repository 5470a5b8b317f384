"""Files that may be compressed with gzip or Zstandard, told by their first bytes, read as a stream of bounded size."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import zstandard

from whyraise.errors import SourceError

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# gzip grows up to 1,032-fold and Zstandard 32,000-fold: read in so small pieces, one piece stays below 64 MiB.
_READ = 2 * 1024
# JSON shrinks 5- to 50-fold. What has grown more than this is made to fill the memory or the disk.
_MOST_GROWTH = 200
_FREE_BYTES = 64 * 1024 * 1024


def uncompressed(raw: BinaryIO) -> BinaryIO:
    """Return a stream of an open file's bytes, after decompression where it is compressed.

    Reading raises `SourceError` where the data is damaged, ends too early or grows beyond all measure.
    """
    head = raw.read(4)
    if head.startswith(_GZIP):
        return io.BufferedReader(_Stream(_frames(head, raw, lambda: zlib.decompressobj(wbits=31))))
    if head == _ZSTANDARD:
        return io.BufferedReader(_Stream(_frames(head, raw, zstandard.ZstdDecompressor().decompressobj)))
    return io.BufferedReader(_Stream(_plain(head, raw)))


class _Stream(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        taken, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def _plain(head: bytes, raw: BinaryIO) -> Iterator[bytes]:
    yield head
    yield from iter(lambda: raw.read(1024 * 1024), b"")


def _frames(head: bytes, raw: BinaryIO, opened: Callable[[], Any]) -> Iterator[bytes]:
    """Decompress frame after frame; a file may hold several."""
    data, put_in, got_out = head, 0, 0
    while data:
        frame = opened()
        while not frame.eof:
            put_in += len(data)
            piece = _decompress(frame, data)
            got_out += len(piece)
            if got_out > _FREE_BYTES + _MOST_GROWTH * put_in:
                raise SourceError(f"grows more than {_MOST_GROWTH}-fold when decompressed, as no records do")
            yield piece
            data = frame.unused_data if frame.eof else raw.read(_READ)
            if not data and not frame.eof:
                raise SourceError("ends in the middle of its compressed data")
        data = data.lstrip(b"\0") or raw.read(_READ).lstrip(b"\0")


def _decompress(frame: Any, data: bytes) -> bytes:
    try:
        piece: bytes = frame.decompress(data)
    except (zlib.error, zstandard.ZstdError) as error:
        raise SourceError(f"is damaged: {error}") from error
    return piece
