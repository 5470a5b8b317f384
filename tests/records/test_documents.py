"""Files of records are parsed into documents; their format is recognized by content."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.support.published import envelope, record
from whyraise.records.documents import MAX_BYTES, Document, looks_like_json, read_documents
from whyraise.records.record import Fault

BARE, ENVELOPE = record("a1"), envelope("b2")


def read(data: bytes, limit: int = MAX_BYTES) -> list[Document | Fault]:
    return list(read_documents(io.BytesIO(data), "data", limit))


def dumps(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent).encode()


COMPRESSORS: list[Callable[[bytes], bytes]] = [gzip.compress, zstandard.compress]
LINES = dumps(BARE) + b"\n" + dumps(ENVELOPE) + b"\n"


@pytest.mark.parametrize("value", [BARE, ENVELOPE], ids=["record", "envelope"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_envelope_or_bare_record_is_one_document(value: object, indent: int | None) -> None:
    assert read(b"\xef\xbb\xbf\n" + dumps(value, indent) + b"\n") == [Document("data", "", value)]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_is_a_document_for_each_item(indent: int | None) -> None:
    expected = [Document("data", "/0", BARE), Document("data", "/1", ENVELOPE), Document("data", "/2", 3)]
    assert read(dumps([BARE, ENVELOPE, 3], indent)) == expected


@pytest.mark.parametrize("indent", [None, 2])
def test_a_records_array_is_a_document_for_each_item_with_the_keys_for_all(indent: int | None) -> None:
    common = {"datasetVersion": "7", "origin": "mined"}
    assert read(dumps({"records": [BARE, ENVELOPE], **common, "count": 2}, indent)) == [
        Document("data", "/records/0", BARE, common),
        Document("data", "/records/1", ENVELOPE, common),
    ]


def test_json_lines_are_a_document_for_each_line_under_its_number() -> None:
    expected = [Document("data:2", "", BARE), Document("data:4", "", ENVELOPE)]
    assert read(b"\n" + dumps(BARE) + b"\r\n  \n" + dumps(ENVELOPE)) == expected


@pytest.mark.parametrize("compress", COMPRESSORS, ids=["gzip", "zstandard"])
@pytest.mark.parametrize("data", [dumps(BARE), dumps([BARE, ENVELOPE], 1), LINES], ids=["one", "array", "lines"])
def test_compressed_files_are_recognized_by_their_first_bytes(compress: Callable[[bytes], bytes], data: bytes) -> None:
    assert read(compress(data)) == read(data)
    half = len(data) // 2
    assert read(compress(data[:half]) + compress(data[half:])) == read(data)


def test_an_invalid_line_is_a_fault_and_the_others_are_read() -> None:
    bad = b'{"id": \n' + b"\xff\n" + b"[1, 2\n"
    reasons = [
        ("data:2", "is not valid JSON: Expecting value at line 2, column 1"),
        ("data:3", "is not UTF-8: byte 0xff at offset 0"),
        ("data:4", "is not valid JSON: Expecting ',' delimiter at line 2, column 1"),
    ]
    expected = [Document("data:1", "", BARE), *(Fault(file, "", reason) for file, reason in reasons)]
    assert read(dumps(BARE) + b"\n" + bad + dumps(ENVELOPE)) == [*expected, Document("data:5", "", ENVELOPE)]


def test_an_invalid_first_line_is_a_fault_and_the_others_are_read() -> None:
    found = read(b"\n{oops}\n" + LINES)
    assert found[1:] == [Document("data:3", "", BARE), Document("data:4", "", ENVELOPE)]
    assert isinstance(found[0], Fault)
    assert found[0].file == "data:2"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"id: 1\nslug: 2\n", "is not valid JSON: Expecting value at column 1"),
        (b'{"id": "a"\n "slug": 1}', "is not valid JSON: Expecting ',' delimiter at line 2, column 2"),
        ('{"id": "a"}'.encode("utf-16"), "is not UTF-8: byte 0xff at offset 0"),
        (b"[" * 100_000, "is nested too deeply to be a record"),
        (gzip.compress(dumps(BARE, 1))[:-12], "ends in the middle of its compressed data"),
        (zstandard.compress(dumps(BARE, 1))[:-12], "ends in the middle of its compressed data"),
        (b"\x1f\x8b", "ends in the middle of its compressed data"),
        (
            b"[\n" + dumps(BARE) + b"\n" + dumps(ENVELOPE) + b"\n]",
            "is not valid JSON: Expecting ',' delimiter at line 3, column 1",
        ),
        (b'{"a": [\n{"b": 1}\n{"c": 2}\n]}', "is not valid JSON: Expecting ',' delimiter at line 3, column 1"),
    ],
    ids=[
        "nothing",
        "blank",
        "yaml",
        "broken",
        "utf-16",
        "nested",
        "truncated gzip",
        "truncated zstandard",
        "gzip head",
        "array",
        "object",
    ],
)
def test_a_file_that_is_not_json_is_one_fault_with_its_reason(data: bytes, reason: str) -> None:
    assert read(data) == [Fault("data", "", reason)]


@pytest.mark.parametrize("compress", COMPRESSORS, ids=["gzip", "zstandard"])
def test_damaged_compressed_data_is_a_fault_and_what_came_before_is_read(compress: Callable[[bytes], bytes]) -> None:
    compressed = bytearray(compress(LINES))
    compressed[len(compressed) // 2] ^= 0xFF
    faults = [item for item in read(compress(LINES) + bytes(compressed)) if isinstance(item, Fault)]
    assert faults
    assert read(compress(LINES) + b"garbage")[:2] == read(LINES)


def test_an_integer_with_too_many_digits_is_a_fault_of_its_line() -> None:
    found = read(dumps(BARE) + b'\n{"id": ' + b"1" * 5000 + b"}\n" + dumps(ENVELOPE))
    assert [item.file for item in found] == ["data:1", "data:2", "data:3"]
    assert isinstance(found[1], Fault)


@pytest.mark.parametrize("compress", COMPRESSORS, ids=["gzip", "zstandard"])
@pytest.mark.parametrize("filler", [b" ", b"\n", b"0"], ids=["space", "lines", "zeros"])
def test_a_decompression_bomb_is_refused_in_bounded_memory(compress: Callable[[bytes], bytes], filler: bytes) -> None:
    bomb = compress(filler * 100_000_000)
    tracemalloc.start()
    try:
        found = read(bomb, 1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [type(item) for item in found] == [Fault]
    assert peak < 75_000_000


def test_a_document_with_too_many_bytes_is_refused_and_many_lines_are_not() -> None:
    limit = len(dumps(BARE)) + 10
    assert read(LINES[: len(dumps(BARE)) + 1] * 3, limit) == [Document(f"data:{n}", "", BARE) for n in (1, 2, 3)]
    reason = f"is a single document of more than {limit:,} bytes; only JSON Lines may be longer"
    assert read(dumps([BARE, ENVELOPE], 1), limit) == [Fault("data", "", reason)]
    reason = f"has more than {limit:,} bytes in line 2; the rest of the file is not read"
    assert read(dumps(BARE) + b"\n" + b" " * limit + dumps(ENVELOPE), limit) == [
        Document("data:1", "", BARE),
        Fault("data", "", reason),
    ]


@pytest.mark.parametrize("compress", COMPRESSORS, ids=["gzip", "zstandard"])
def test_lines_that_expand_more_than_200_fold_are_refused(compress: Callable[[bytes], bytes]) -> None:
    line = dumps({"id": "0" * 1_000_000}) + b"\n"
    *documents, fault = read(compress(line * 100))
    assert [type(document) for document in documents] == [Document] * len(documents)
    assert 0 < len(documents) < 100
    assert fault == Fault("data", "", "expands more than 200-fold when decompressed, unlike any real records")


def test_json_lines_are_streamed() -> None:
    class Endless(io.RawIOBase):
        """A file of records without an end."""

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            line = (dumps(BARE) + b"\n")[: len(buffer)]
            buffer[: len(line)] = line
            return len(line)

        def readable(self) -> bool:
            return True

    raw = Endless()
    found: Iterator[Document | Fault] = read_documents(io.BufferedReader(raw), "data")
    assert [next(found) for _ in range(3)] == [Document(f"data:{line}", "", BARE) for line in (1, 2, 3)]


def test_a_file_looks_like_json_by_its_first_character() -> None:
    for data in (dumps(BARE), b"\xef\xbb\xbf\n [", gzip.compress(dumps(BARE)), zstandard.compress(b"  [1")):
        assert looks_like_json(io.BytesIO(data))
    for data in (b"", b"# Title", b"\x89PNG", gzip.compress(b"text"), b"\x1f\x8bxxxx"):
        assert not looks_like_json(io.BytesIO(data))


@given(st.binary(max_size=200), st.sampled_from([b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"{", b"[", LINES]))
def test_any_bytes_give_documents_or_faults(data: bytes, head: bytes) -> None:
    for item in read(head + data):
        assert isinstance(item, Document | Fault)
