"""Decompress gzip and Zstandard files as a stream, recognized by their first bytes, with a limit on their growth."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import zstandard

from whyraise.errors import SourceError

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# gzip expands data up to 1,032-fold and Zstandard 32,000-fold: a chunk of this size stays below 64 MiB.
_COMPRESSED_CHUNK = 2 * 1024
# JSON compresses 5- to 50-fold. A file that expands more than this is made to exhaust the memory or the disk.
_MAX_EXPANSION = 200
# Decompressed data up to this size is allowed whatever its ratio.
_FREE_BYTES = 64 * 1024 * 1024


def uncompressed(raw: BinaryIO) -> BinaryIO:
    """Return a stream of the bytes of an open file, decompressed if the file is compressed.

    Reading from it raises `SourceError` if the data is damaged, truncated, or expands more than 200-fold.
    """
    head = raw.read(4)
    if head.startswith(_GZIP):
        return io.BufferedReader(_Stream(_decompressed(head, raw, lambda: zlib.decompressobj(wbits=31))))
    if head == _ZSTANDARD:
        return io.BufferedReader(_Stream(_decompressed(head, raw, zstandard.ZstdDecompressor().decompressobj)))
    return io.BufferedReader(_Stream(_plain(head, raw)))


class _Stream(io.RawIOBase):
    """An iterator of byte chunks as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _plain(head: bytes, raw: BinaryIO) -> Iterator[bytes]:
    yield head
    yield from iter(lambda: raw.read(1024 * 1024), b"")


def _decompressed(head: bytes, raw: BinaryIO, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the decompressed data, frame by frame; a file may contain several frames."""
    data, compressed_size, size = head, 0, 0
    while data:
        frame = decompressor()
        while not frame.eof:
            compressed_size += len(data)
            chunk = _decompress(frame, data)
            size += len(chunk)
            if size > _FREE_BYTES + _MAX_EXPANSION * compressed_size:
                raise SourceError(f"expands more than {_MAX_EXPANSION}-fold when decompressed, unlike any real records")
            yield chunk
            data = frame.unused_data if frame.eof else raw.read(_COMPRESSED_CHUNK)
            if not data and not frame.eof:
                raise SourceError("ends in the middle of its compressed data")
        # Frames may be padded with NUL bytes.
        data = data.lstrip(b"\0") or raw.read(_COMPRESSED_CHUNK).lstrip(b"\0")


def _decompress(frame: Any, data: bytes) -> bytes:
    try:
        chunk: bytes = frame.decompress(data)
    except (zlib.error, zstandard.ZstdError) as error:
        raise SourceError(f"is damaged: {error}") from error
    return chunk
