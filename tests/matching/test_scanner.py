"""Literals found in one pass, with either of two matchers."""

import random
import sys
import threading
from pathlib import Path

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from whyraise.lookup.explain import explain
from whyraise.matching import scanner
from whyraise.matching.scanner import Hits

WORDS = [f"{first}{second}{third}" for first in "abcdefgh" for second in "ijklmnop" for third in "qrstuvwx"]


def literals(count: int) -> list[tuple[int, bytes]]:
    chance = random.Random(1)
    texts = {"".join(chance.choices(WORDS, k=3)).encode() for _ in range(2 * count)} | {"größe".encode() * 2}
    return list(enumerate(sorted(texts)[:count], 7))


def text() -> bytes:
    chance = random.Random(2)
    return "".join(chance.choices([*WORDS, "größe", "\0"], k=20_000)).encode()


def reference(known: list[tuple[int, bytes]], data: bytes) -> Hits:
    found = [
        (number, end)
        for number, literal in known
        for end in range(len(literal), len(data) + 1)
        if data.startswith(literal, end - len(literal))
    ]
    return sorted(found, key=lambda hit: (hit[1], hit[0]))


@pytest.fixture
def every_set_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner, "MANY", 1)


def scan(known: list[tuple[int, bytes]], data: bytes, store: Path) -> Hits:
    return sorted(scanner.scanner(len(known), lambda: known, str(store))(data), key=lambda hit: (hit[1], hit[0]))


@pytest.mark.parametrize("many", [1, 1_000_000], ids=["hyperscan", "ahocorasick"])
def test_every_literal_is_found_everywhere(many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner, "MANY", many)
    known, data = literals(50), text()[:30_000]
    assert scan(known, data, tmp_path / "store") == reference(known, data)


def test_hits_are_in_the_order_of_the_text(tmp_path: Path, every_set_is_large: None) -> None:
    ends = [end for _, end in scanner.scanner(5, lambda: literals(5), str(tmp_path / "s"))(text())]
    assert ends == sorted(ends)


def test_a_stored_database_is_loaded_instead_of_built(tmp_path: Path, every_set_is_large: None) -> None:
    known, data = literals(500), text()
    first = scan(known, data, tmp_path / "store")

    def unneeded() -> list[tuple[int, bytes]]:
        raise AssertionError("the literals were read again")

    again = scanner.scanner(len(known), unneeded, str(tmp_path / "store"))
    assert sorted(again(data), key=lambda hit: (hit[1], hit[0])) == first


def test_a_damaged_database_is_built_again(tmp_path: Path, every_set_is_large: None) -> None:
    known, data = literals(500), text()
    first = scan(known, data, tmp_path / "store")
    [stored] = tmp_path.iterdir()
    stored.write_bytes(b"damaged" + stored.read_bytes()[7:1000])
    assert scan(known, data, tmp_path / "store") == first
    assert len(stored.read_bytes()) > 1000


def test_a_database_that_cannot_be_stored_is_used_anyway(tmp_path: Path, every_set_is_large: None) -> None:
    (tmp_path / "file").touch()
    known, data = literals(50), text()[:5_000]
    assert scan(known, data, tmp_path / "file" / "store") == reference(known, data)


def test_without_hyperscan_the_other_matcher_does_large_sets(
    tmp_path: Path, every_set_is_large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    known, data = literals(50), text()[:5_000]
    assert scan(known, data, tmp_path / "store") == reference(known, data)
    assert list(tmp_path.iterdir()) == []


def test_many_threads_scan_at_once(tmp_path: Path, every_set_is_large: None) -> None:
    known, data = literals(500), text()
    shared = scanner.scanner(len(known), lambda: known, str(tmp_path / "store"))
    expected, results = shared(data), []
    threads = [threading.Thread(target=lambda: results.append(shared(data))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


def test_an_empty_set_of_literals_is_never_found(tmp_path: Path) -> None:
    assert scanner.scanner(0, list, str(tmp_path / "store"))(b"anything") == []


def test_the_answer_is_the_same_with_either_matcher(make_catalog: MakeCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    records = [record(f"the setting {number} of {{name}} has no default") for number in range(20)]
    answers = []
    for many in (1, 1_000_000):
        monkeypatch.setattr(scanner, "MANY", many)
        answers.append(explain("ValueError: the setting 7 of rate has no default", make_catalog(records)))
    assert answers[0] == answers[1]
    assert answers[0].findings[0].record.id == records[7]["id"]
