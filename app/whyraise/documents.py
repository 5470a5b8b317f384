"""Files of records as JSON documents, told apart by content and never by name.

A file is one document, an array, an object with a `records` array, or JSON Lines of any of these, as it is or
compressed with gzip or Zstandard. JSON Lines are read line by line, so memory holds one document at a time.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

import zstandard

from whyraise.errors import SourceError
from whyraise.record import Fault, Json
from whyraise.strict_json import parse_json

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# A block of Zstandard may grow 32,000-fold, one of gzip 1,032-fold: so much is read at once that memory stays small.
_GZIP_READ, _ZSTANDARD_READ, _PLAIN_READ = 64 * 1024, 2 * 1024, 1024 * 1024
_SPACE = b" \t\r\n"
_NOTHING: Json = MappingProxyType({})


class Limits(NamedTuple):
    """Most bytes of one JSON document or line, and of one whole file, both after decompression."""

    document: int = 256 * 1024 * 1024
    file: int = 8 * 1024 * 1024 * 1024


class Document(NamedTuple):
    """One envelope or bare record as parsed: its value, its file (with the line, in JSON Lines) and JSON pointer there.

    `envelope` is what an enclosing object says for all its records; `side_files` is what lies beside the file in a
    record's folder; `dataset` names the data set where the file itself does.
    """

    file: str
    pointer: str
    value: object
    envelope: Json = _NOTHING
    side_files: Json = _NOTHING
    dataset: str = ""


def read_documents(raw: BinaryIO, file: str, limits: Limits = Limits()) -> Iterator[Document | Fault]:  # noqa: B008 an immutable value
    """Yield every document of an open file, and a fault for every part that is none."""
    try:
        yield from _documents(io.BufferedReader(_Plain(raw, limits.file)), file, limits.document)
    except SourceError as error:
        yield Fault(file, "", str(error))


def looks_like_json(raw: BinaryIO) -> bool:
    """Return whether an open file's first character, after decompression, begins a JSON object or array."""
    try:
        head = io.BufferedReader(_Plain(raw, _PLAIN_READ)).read(4096)
    except SourceError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACE)[:1] in (b"{", b"[")


class _Plain(io.RawIOBase):
    """A file's bytes after decompression; raises `SourceError` where they are damaged or more than `most`."""

    def __init__(self, raw: BinaryIO, most: int) -> None:
        self._chunks, self._rest = _decompressed(raw), memoryview(b"")
        self._most, self._left = most, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        taken = self._rest[: len(buffer)]
        self._rest = self._rest[len(taken) :]
        self._left -= len(taken)
        if self._left < 0:
            raise SourceError(f"has more than {self._most:,} bytes after decompression; split it")
        buffer[: len(taken)] = taken
        return len(taken)


def _decompressed(raw: BinaryIO) -> Iterator[bytes]:
    head = raw.read(4)
    if head.startswith(_GZIP):
        yield from _frames(head, raw, _GZIP_READ, lambda: zlib.decompressobj(wbits=31))
    elif head == _ZSTANDARD:
        yield from _frames(head, raw, _ZSTANDARD_READ, zstandard.ZstdDecompressor().decompressobj)
    else:
        yield head
        yield from iter(lambda: raw.read(_PLAIN_READ), b"")


def _frames(head: bytes, raw: BinaryIO, size: int, opened: Callable[[], Any]) -> Iterator[bytes]:
    """Decompress frame after frame; a file may hold several."""
    data = head
    while data:
        frame = opened()
        while not frame.eof:
            try:
                yield frame.decompress(data)
            except (zlib.error, zstandard.ZstdError) as error:
                raise SourceError(f"is damaged: {error}") from error
            data = frame.unused_data if frame.eof else raw.read(size)
            if not data and not frame.eof:
                raise SourceError("ends in the middle of its compressed data")
        data = data.lstrip(b"\0") or raw.read(size).lstrip(b"\0")


def _documents(stream: BinaryIO, file: str, most: int) -> Iterator[Document | Fault]:
    lines = _lines(stream, most, 1)
    number, first = next(lines, (0, b""))
    if not first:
        yield Fault(file, "", "is empty")
        return
    try:
        value = parse_json(first)
    except SourceError:
        rest = stream.read(most + 1)
        yield from _whole(first + rest, number, file, most)
        return
    second = next(lines, None)
    if second is None:
        yield from _parts(value, file)
        return
    yield from _parts(value, f"{file}:{number}")
    yield from _line(*second, file)
    for number, line in lines:
        yield from _line(number, line, file)


def _lines(stream: BinaryIO, most: int, number: int) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank with its number, the first one's being `number`."""
    while line := stream.readline(most + 1):
        if len(line) > most:
            raise SourceError(f"has more than {most:,} bytes in line {number}, too many for one record")
        if line.strip(_SPACE):
            yield number, line
        number += 1


def _line(number: int, line: bytes, file: str) -> Iterator[Document | Fault]:
    place = f"{file}:{number}"
    try:
        yield from _parts(parse_json(line), place)
    except SourceError as error:
        yield Fault(place, "", str(error))


def _whole(data: bytes, number: int, file: str, most: int) -> Iterator[Document | Fault]:
    """Read text whose first line is no document: one document over many lines, or JSON Lines with a bad first line."""
    if len(data) > most:
        raise SourceError(f"is one document of more than {most:,} bytes; JSON Lines may be longer")
    try:
        yield from _parts(parse_json(data), file)
    except SourceError as error:
        lines = [part for at, line in _lines(io.BytesIO(data), most, number) for part in _line(at, line, file)]
        found = any(isinstance(part, Document) and isinstance(part.value, dict) for part in lines)
        yield from lines if found else [Fault(file, "", str(error))]


def _parts(value: object, file: str) -> Iterator[Document]:
    """Yield the documents of a parsed JSON value."""
    if isinstance(value, list):
        yield from (Document(file, f"/{at}", item) for at, item in enumerate(value))
    elif isinstance(value, dict) and isinstance(value.get("records"), list) and "record" not in value:
        envelope = {key: value[key] for key in ("datasetVersion", "origin", "licence") if key in value}
        yield from (Document(file, f"/records/{at}", item, envelope) for at, item in enumerate(value["records"]))
    else:
        yield Document(file, "", value)
