"""Files of records as documents, told apart by content."""

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
from whyraise.records.documents import MOST_BYTES, Document, looks_like_json, read_documents
from whyraise.records.record import Fault

ONE, TWO = record("a1"), envelope("b2")


def read(data: bytes, most: int = MOST_BYTES) -> list[Document | Fault]:
    return list(read_documents(io.BytesIO(data), "data", most))


def dumps(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent).encode()


PACKERS: list[Callable[[bytes], bytes]] = [gzip.compress, zstandard.compress]
LINES = dumps(ONE) + b"\n" + dumps(TWO) + b"\n"


@pytest.mark.parametrize("value", [ONE, TWO], ids=["record", "envelope"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_envelope_or_bare_record_is_one_document(value: object, indent: int | None) -> None:
    assert read(b"\xef\xbb\xbf\n" + dumps(value, indent) + b"\n") == [Document("data", "", value)]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_is_a_document_for_each_item(indent: int | None) -> None:
    expected = [Document("data", "/0", ONE), Document("data", "/1", TWO), Document("data", "/2", 3)]
    assert read(dumps([ONE, TWO, 3], indent)) == expected


@pytest.mark.parametrize("indent", [None, 2])
def test_a_records_array_is_a_document_for_each_item_and_says_what_holds_for_all(indent: int | None) -> None:
    said = {"datasetVersion": "7", "origin": "mined"}
    assert read(dumps({"records": [ONE, TWO], **said, "count": 2}, indent)) == [
        Document("data", "/records/0", ONE, said),
        Document("data", "/records/1", TWO, said),
    ]


def test_json_lines_are_a_document_for_each_line_under_its_number() -> None:
    expected = [Document("data:2", "", ONE), Document("data:4", "", TWO)]
    assert read(b"\n" + dumps(ONE) + b"\r\n  \n" + dumps(TWO)) == expected


@pytest.mark.parametrize("pack", PACKERS, ids=["gzip", "zstandard"])
@pytest.mark.parametrize("data", [dumps(ONE), dumps([ONE, TWO], 1), LINES], ids=["one", "array", "lines"])
def test_compressed_files_are_told_by_their_first_bytes(pack: Callable[[bytes], bytes], data: bytes) -> None:
    assert read(pack(data)) == read(data)
    half = len(data) // 2
    assert read(pack(data[:half]) + pack(data[half:])) == read(data)


def test_one_bad_line_spoils_no_other() -> None:
    bad = b'{"id": \n' + b"\xff\n" + b"[1, 2\n"
    reasons = [
        ("data:2", "is no valid JSON: Expecting value at line 2, column 1"),
        ("data:3", "is not UTF-8: byte 0xff at offset 0"),
        ("data:4", "is no valid JSON: Expecting ',' delimiter at line 2, column 1"),
    ]
    expected = [Document("data:1", "", ONE), *(Fault(file, "", why) for file, why in reasons)]
    assert read(dumps(ONE) + b"\n" + bad + dumps(TWO)) == [*expected, Document("data:5", "", TWO)]


def test_a_bad_first_line_spoils_no_other() -> None:
    found = read(b"\n{oops}\n" + LINES)
    assert found[1:] == [Document("data:3", "", ONE), Document("data:4", "", TWO)]
    assert isinstance(found[0], Fault)
    assert found[0].file == "data:2"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"id: 1\nslug: 2\n", "is no valid JSON: Expecting value at column 1"),
        (b'{"id": "a"\n "slug": 1}', "is no valid JSON: Expecting ',' delimiter at line 2, column 2"),
        ('{"id": "a"}'.encode("utf-16"), "is not UTF-8: byte 0xff at offset 0"),
        (b"[" * 100_000, "is nested too deep to be a record"),
        (gzip.compress(dumps(ONE, 1))[:-12], "ends in the middle of its compressed data"),
        (zstandard.compress(dumps(ONE, 1))[:-12], "ends in the middle of its compressed data"),
        (b"\x1f\x8b", "ends in the middle of its compressed data"),
        (
            b"[\n" + dumps(ONE) + b"\n" + dumps(TWO) + b"\n]",
            "is no valid JSON: Expecting ',' delimiter at line 3, column 1",
        ),
        (b'{"a": [\n{"b": 1}\n{"c": 2}\n]}', "is no valid JSON: Expecting ',' delimiter at line 3, column 1"),
    ],
    ids=[
        "nothing",
        "blank",
        "yaml",
        "broken",
        "utf-16",
        "nested",
        "cut gzip",
        "cut zstandard",
        "gzip head",
        "array",
        "object",
    ],
)
def test_a_file_that_is_no_json_is_one_fault_with_its_reason(data: bytes, reason: str) -> None:
    assert read(data) == [Fault("data", "", reason)]


@pytest.mark.parametrize("pack", PACKERS, ids=["gzip", "zstandard"])
def test_damaged_compressed_data_is_a_fault_and_what_came_before_is_read(pack: Callable[[bytes], bytes]) -> None:
    packed = bytearray(pack(LINES))
    packed[len(packed) // 2] ^= 0xFF
    faults = [each for each in read(pack(LINES) + bytes(packed)) if isinstance(each, Fault)]
    assert faults
    assert read(pack(LINES) + b"garbage")[:2] == read(LINES)


def test_an_integer_of_too_many_digits_is_a_fault_of_its_line() -> None:
    found = read(dumps(ONE) + b'\n{"id": ' + b"1" * 5000 + b"}\n" + dumps(TWO))
    assert [each.file for each in found] == ["data:1", "data:2", "data:3"]
    assert isinstance(found[1], Fault)


@pytest.mark.parametrize("pack", PACKERS, ids=["gzip", "zstandard"])
@pytest.mark.parametrize("filler", [b" ", b"\n", b"0"], ids=["space", "lines", "zeros"])
def test_a_bomb_is_refused_in_bounded_memory(pack: Callable[[bytes], bytes], filler: bytes) -> None:
    bomb = pack(filler * 100_000_000)
    tracemalloc.start()
    try:
        found = read(bomb, 1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [type(each) for each in found] == [Fault]
    assert peak < 75_000_000


def test_a_document_of_too_many_bytes_is_refused_and_lines_are_not() -> None:
    most = len(dumps(ONE)) + 10
    assert read(LINES[: len(dumps(ONE)) + 1] * 3, most) == [Document(f"data:{n}", "", ONE) for n in (1, 2, 3)]
    reason = f"is one document of more than {most:,} bytes; JSON Lines may be longer"
    assert read(dumps([ONE, TWO], 1), most) == [Fault("data", "", reason)]
    reason = f"has more than {most:,} bytes in line 2; from there on nothing is read"
    assert read(dumps(ONE) + b"\n" + b" " * most + dumps(TWO), most) == [
        Document("data:1", "", ONE),
        Fault("data", "", reason),
    ]


@pytest.mark.parametrize("pack", PACKERS, ids=["gzip", "zstandard"])
def test_lines_that_grow_beyond_all_measure_are_refused(pack: Callable[[bytes], bytes]) -> None:
    line = dumps({"id": "0" * 1_000_000}) + b"\n"
    *documents, fault = read(pack(line * 100))
    assert [type(each) for each in documents] == [Document] * len(documents)
    assert 0 < len(documents) < 100
    assert fault == Fault("data", "", "grows more than 200-fold when decompressed, as no records do")


def test_json_lines_are_streamed() -> None:
    class Endless(io.RawIOBase):
        """A file of records that only ends once this many have been asked for."""

        asked = 0

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            self.asked += 1
            line = (dumps(ONE) + b"\n")[: len(buffer)]
            buffer[: len(line)] = line
            return len(line)

        def readable(self) -> bool:
            return True

    raw = Endless()
    found: Iterator[Document | Fault] = read_documents(io.BufferedReader(raw), "data")
    assert [next(found) for _ in range(3)] == [Document(f"data:{line}", "", ONE) for line in (1, 2, 3)]


def test_a_file_looks_like_json_by_its_first_character() -> None:
    for data in (dumps(ONE), b"\xef\xbb\xbf\n [", gzip.compress(dumps(ONE)), zstandard.compress(b"  [1")):
        assert looks_like_json(io.BytesIO(data))
    for data in (b"", b"# Title", b"\x89PNG", gzip.compress(b"text"), b"\x1f\x8bxxxx"):
        assert not looks_like_json(io.BytesIO(data))


@given(st.binary(max_size=200), st.sampled_from([b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"{", b"[", LINES]))
def test_any_bytes_give_documents_or_faults(data: bytes, head: bytes) -> None:
    for each in read(head + data):
        assert isinstance(each, Document | Fault)
