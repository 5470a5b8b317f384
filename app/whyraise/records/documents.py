"""Parse files of records into JSON documents; the format is recognized by content, never by file name.

A file is one document, an array, an object with a `records` array, or JSON Lines of any of these, uncompressed or
compressed with gzip or Zstandard. JSON Lines are read line by line, so only one document is in memory at a time.
"""

import io
from collections.abc import Iterator
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from whyraise.errors import SourceError
from whyraise.records.compression import uncompressed
from whyraise.records.record import Fault, Json
from whyraise.records.strict_json import parse_json

# The limit for one document, and for one line of JSON Lines, in bytes.
MAX_BYTES = 256 * 1024 * 1024
_MAX_BLANK_LINES = 100_000
_WHITESPACE = b" \t\r\n"
_EMPTY: Json = MappingProxyType({})


class Document(NamedTuple):
    """A parsed envelope or bare record: its value, its file (with the line number, in JSON Lines) and JSON pointer.

    `envelope` holds the keys of an enclosing object that apply to all its records; `side_files` holds the parsed side
    files of a record's folder; `dataset` is the name of the data set if the file itself gives one.
    """

    file: str
    pointer: str
    value: object
    envelope: Json = _EMPTY
    side_files: Json = _EMPTY
    dataset: str = ""


def read_documents(raw: BinaryIO, file: str, limit: int = MAX_BYTES) -> Iterator[Document | Fault]:
    """Yield every document of an open file, and a fault for every part that is invalid or larger than `limit` bytes."""
    try:
        yield from _documents(uncompressed(raw), file, limit)
    except SourceError as error:
        yield Fault(file, "", str(error))


def looks_like_json(raw: BinaryIO) -> bool:
    """Return whether the first character of an open file, after decompression, starts a JSON object or array."""
    try:
        head = uncompressed(raw).read(4096)
    except SourceError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(_WHITESPACE)[:1] in (b"{", b"[")


def _documents(stream: BinaryIO, file: str, limit: int) -> Iterator[Document | Fault]:
    lines = _lines(stream, limit, 1)
    number, first = next(lines, (0, b""))
    if not first:
        yield Fault(file, "", "is empty")
        return
    try:
        value = parse_json(first)
    except SourceError:
        rest = stream.read(limit + 1)
        yield from _parse_whole(first + rest, number, file, limit)
        return
    try:
        second = next(lines, None)
    except SourceError:
        yield from _split(value, f"{file}:{number}")
        raise
    if second is None:
        yield from _split(value, file)
        return
    yield from _split(value, f"{file}:{number}")
    yield from _parse_line(*second, file)
    for number, line in lines:
        yield from _parse_line(number, line, file)


def _lines(stream: BinaryIO, limit: int, number: int) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank, with its line number; the first line has the number `number`."""
    blank = 0
    while line := stream.readline(limit + 1):
        if len(line) > limit:
            raise SourceError(f"has more than {limit:,} bytes in line {number}; the rest of the file is not read")
        if line.strip(_WHITESPACE):
            yield number, line
        elif (blank := blank + 1) > _MAX_BLANK_LINES:
            raise SourceError(f"has more than {_MAX_BLANK_LINES:,} blank lines")
        number += 1


def _parse_line(number: int, line: bytes, file: str) -> Iterator[Document | Fault]:
    place = f"{file}:{number}"
    try:
        yield from _split(parse_json(line), place)
    except SourceError as error:
        yield Fault(place, "", str(error))


def _parse_whole(data: bytes, number: int, file: str, limit: int) -> Iterator[Document | Fault]:
    """Parse a text whose first line is not JSON: one document on many lines, or JSON Lines with an invalid line."""
    if len(data) > limit:
        raise SourceError(f"is a single document of more than {limit:,} bytes; only JSON Lines may be longer")
    try:
        yield from _split(parse_json(data), file)
    except SourceError as error:
        if data.lstrip(_WHITESPACE).startswith(b"[") or not any(_is_record(line) for line in io.BytesIO(data)):
            yield Fault(file, "", str(error))
            return
        for line_number, line in _lines(io.BytesIO(data), limit, number):
            yield from _parse_line(line_number, line, file)


def _is_record(line: bytes) -> bool:
    """Return whether a line is a complete envelope or record, as in JSON Lines."""
    if not line.startswith(b"{"):
        return False
    try:
        value = parse_json(line)
    except SourceError:
        return False
    return isinstance(value, dict) and not value.keys().isdisjoint(("record", "id"))


def _split(value: object, file: str) -> Iterator[Document]:
    """Yield the documents of a parsed JSON value."""
    if isinstance(value, list):
        yield from (Document(file, f"/{index}", item) for index, item in enumerate(value))
    elif isinstance(value, dict) and isinstance(value.get("records"), list) and not value.keys() & {"record", "id"}:
        envelope = {key: value[key] for key in ("datasetVersion", "origin", "licence") if key in value}
        yield from (Document(file, f"/records/{index}", item, envelope) for index, item in enumerate(value["records"]))
    else:
        yield Document(file, "", value)
