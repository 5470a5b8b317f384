"""Reading records from an open knowledge file: by id, by filters and by words."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.knowledge_files import ids
from tests.support.published import SEED_FILE, SEED_ID, envelope, record
from tests.support.repository import RECORDS
from whyraise.errors import BadInput, NotFound
from whyraise.knowledge import file_format, queries
from whyraise.knowledge.build import build
from whyraise.knowledge.queries import Page

Open = Callable[..., sqlite3.Connection]


def test_a_missing_record_is_not_found(opened: Open) -> None:
    connection = opened(record("a1"))
    for missing in ("", "a", "A1", "a1 ", "\ud800", "\0"):
        assert queries.records_by_id(connection, missing) == ()
    with pytest.raises(NotFound, match="No record has the number 2"):
        queries.record_by_number(connection, 2)
    assert queries.records_by_slug(connection, "example/thing", "none") == ()


def test_records_that_share_a_slug_are_all_found(opened: Open) -> None:
    connection = opened(record("b2", slug="s"), record("a1", slug="s"), record("c3", slug="s", repo="other/thing"))
    assert ids(queries.records_by_slug(connection, "example/thing", "s")) == ["a1", "b2"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["a1", "b2", "c3"]),
        ({"repo": "example/thing"}, ["a1", "b2"]),
        ({"tag": "gpu"}, ["a1", "c3"]),
        ({"tag": "gp"}, []),
        ({"errorClass": "KeyError"}, ["b2"]),
        ({"severity": "warning"}, ["b2"]),
        ({"origin": "mined"}, ["c3"]),
        ({"dataset": "data"}, ["a1", "b2", "c3"]),
        ({"dataset": "other"}, []),
        ({"tag": "gpu", "repo": "example/thing", "severity": "error"}, ["a1"]),
        ({"tag": "' OR 1 --"}, []),
        ({"repo": "\ud800"}, []),
    ],
)
def test_listed_records_match_all_filters(filters: dict[str, str], expected: list[str], opened: Open) -> None:
    connection = opened(
        record("a1", tags=["gpu", "ddp", "gpu"]),
        record("b2", tags=[], errorClass="KeyError", severity="warning"),
        {**envelope("c3", tags=["gpu"], repo="other/thing"), "origin": "mined"},
    )
    assert ids(queries.list_records(connection, filters).records) == expected


def test_an_unknown_filter_is_refused_by_name(opened: Open) -> None:
    with pytest.raises(BadInput, match=r"Unknown filter: colour\. The filters are repo, tag, errorClass, .*dataset\."):
        queries.list_records(opened(record()), {"colour": "red"})


def test_pages_follow_each_other_without_gap_or_overlap(opened: Open) -> None:
    connection = opened(*(record(f"r{number}") for number in range(7)))
    pages, after = [], ""
    while True:
        page = queries.list_records(connection, {"tag": "files"}, q="opened", after=after, limit=3)
        pages.append(ids(page.records))
        after = page.after
        if not after:
            break
    assert pages == [["r0", "r1", "r2"], ["r3", "r4", "r5"], ["r6"]]
    assert queries.list_records(connection, {}, after="r6") == Page((), "")
    assert queries.list_records(connection, {}, limit=7).after == ""


def test_words_are_searched_in_message_name_tags_explanation_and_code(opened: Open) -> None:
    connection = opened(
        record("a1", errorMessage="Cannot wrap the zebra", messagePattern="Cannot wrap the zebra"),
        record("b2", errorClass="ZebraError", function="x"),
        record("c3", backgroundTag="zebra"),
        record("d4", preventionTips=["Feed the zebras"], documentation=None),
        record("e5", typeGuard="is_zebra(x)"),
        record("f6", unknown="zebra"),
    )
    assert ids(queries.search(connection, "zebra")) == ["a1", "c3", "d4", "e5"]
    assert ids(queries.search(connection, "ZEBRAERROR")) == ["b2"]
    assert ids(queries.search(connection, "zebra wrapping")) == ["a1"]
    assert ids(queries.search(connection, "zebra", limit=2)) == ["a1", "c3"]
    assert ids(queries.list_records(connection, {}, q="is_zebra").records) == ["e5"]


@pytest.mark.parametrize("words", ["", " ", '"', "...", "* ( ) :", "\0", "\ud800", "'", "NEAR(", "_"])
def test_punctuation_alone_finds_nothing(words: str, opened: Open) -> None:
    assert queries.search(opened(record()), words) == ()


def test_the_best_matches_come_first(opened: Open) -> None:
    short, long = "DDP cannot start", "The process cannot start, as described for DDP and others at length elsewhere"
    connection = opened(
        record("a1", documentation=long),
        record("b2", errorMessage=short, messagePattern=short),
        record("c3", errorMessage=long, messagePattern=long),
    )
    assert ids(queries.search(connection, "ddp start")) == ["b2", "c3", "a1"]


@pytest.fixture(scope="module")
def seed_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    folder = tmp_path_factory.mktemp("seed")
    build([SEED_FILE.parent], folder / "k.db")
    with closing(file_format.open_file(folder / "k.db")) as connection:
        yield connection


@given(st.text(st.characters(exclude_categories=())))
def test_any_words_can_be_searched_for(seed_file: sqlite3.Connection, words: str) -> None:
    assert len(queries.search(seed_file, words)) <= 1
    assert len(queries.list_records(seed_file, {}, q=words).records) <= 1


@given(
    st.lists(
        st.sampled_from(["no_backward_sync", "Fabric", "TYPEERROR", "DDP-wrapped", "`module`", '"sync', 'sync""']),
        min_size=1,
    )
)
def test_every_word_of_a_record_finds_it_whatever_its_case_and_punctuation(
    seed_file: sqlite3.Connection, words: list[str]
) -> None:
    assert ids(queries.search(seed_file, " ".join(words))) == [SEED_ID]


def test_reading_imports_neither_pydantic_nor_fastapi_nor_httpx() -> None:
    code = (
        "import sys, whyraise.knowledge.queries; print({'pydantic', 'fastapi', 'httpx', 'pathlib'} & set(sys.modules))"
    )
    run = [sys.executable, "-S", "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(RECORDS.parent / "app")}
    assert subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout == "set()\n"
