"""Files of records as JSON documents, told apart by content and never by name.

A file is one document, an array, an object with a `records` array, or JSON Lines of any of these, as it is or
compressed with gzip or Zstandard. JSON Lines are read line by line, so memory holds one document at a time.
"""

import io
from collections.abc import Iterator
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from whyraise.errors import SourceError
from whyraise.records.compression import uncompressed
from whyraise.records.record import Fault, Json
from whyraise.records.strict_json import parse_json

# Most bytes of one document, and of one line of JSON Lines.
MOST_BYTES = 256 * 1024 * 1024
_MOST_BLANK_LINES = 100_000
_SPACE = b" \t\r\n"
_NOTHING: Json = MappingProxyType({})


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


def read_documents(raw: BinaryIO, file: str, most: int = MOST_BYTES) -> Iterator[Document | Fault]:
    """Yield every document of an open file, and a fault for every part that is none or has more than `most` bytes."""
    try:
        yield from _documents(uncompressed(raw), file, most)
    except SourceError as error:
        yield Fault(file, "", str(error))


def looks_like_json(raw: BinaryIO) -> bool:
    """Return whether an open file's first character, after decompression, begins a JSON object or array."""
    try:
        head = uncompressed(raw).read(4096)
    except SourceError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACE)[:1] in (b"{", b"[")


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
    try:
        second = next(lines, None)
    except SourceError:
        yield from _parts(value, f"{file}:{number}")
        raise
    if second is None:
        yield from _parts(value, file)
        return
    yield from _parts(value, f"{file}:{number}")
    yield from _line(*second, file)
    for number, line in lines:
        yield from _line(number, line, file)


def _lines(stream: BinaryIO, most: int, number: int) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank with its number, the first one's being `number`."""
    blank = 0
    while line := stream.readline(most + 1):
        if len(line) > most:
            raise SourceError(f"has more than {most:,} bytes in line {number}; from there on nothing is read")
        if line.strip(_SPACE):
            yield number, line
        elif (blank := blank + 1) > _MOST_BLANK_LINES:
            raise SourceError(f"has more than {_MOST_BLANK_LINES:,} blank lines")
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
        if data.lstrip(_SPACE).startswith(b"[") or not any(_is_record(line) for line in io.BytesIO(data)):
            yield Fault(file, "", str(error))
            return
        for at, line in _lines(io.BytesIO(data), most, number):
            yield from _line(at, line, file)


def _is_record(line: bytes) -> bool:
    """Return whether a line is a whole envelope or record, as those of JSON Lines are."""
    if not line.startswith(b"{"):
        return False
    try:
        value = parse_json(line)
    except SourceError:
        return False
    return isinstance(value, dict) and not value.keys().isdisjoint(("record", "id"))


def _parts(value: object, file: str) -> Iterator[Document]:
    """Yield the documents of a parsed JSON value."""
    if isinstance(value, list):
        yield from (Document(file, f"/{at}", item) for at, item in enumerate(value))
    elif isinstance(value, dict) and isinstance(value.get("records"), list) and not value.keys() & {"record", "id"}:
        envelope = {key: value[key] for key in ("datasetVersion", "origin", "licence") if key in value}
        yield from (Document(file, f"/records/{at}", item, envelope) for at, item in enumerate(value["records"]))
    else:
        yield Document(file, "", value)
