"""A connection that many threads use."""

import gc
import sqlite3
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from whyraise.knowledge.connection import Connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", ((n, str(n)) for n in range(1000)))
    connection.close()
    return tmp_path / "a.db"


def test_threads_that_start_the_same_statement_get_their_own_rows(path: Path) -> None:
    connection = sqlite3.connect(path, check_same_thread=False, factory=Connection)

    def look_up(n: int) -> list[str]:
        rows = connection.execute("SELECT text FROM t WHERE n >= ? AND n < ? + 3", (n, n))
        return [text for (text,) in rows]

    wanted = [n % 990 for n in range(20_000)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(look_up, wanted)) == [[str(n), str(n + 1), str(n + 2)] for n in wanted]


def test_a_file_that_cannot_be_opened_is_one_error_and_nothing_else(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        sqlite3.connect(f"file:{tmp_path}/none.db?mode=ro", uri=True, factory=Connection)
    gc.collect()  # an error of the object that was not made would be a warning


def test_a_connection_that_nobody_uses_is_closed_without_a_warning(path: Path) -> None:
    connection = sqlite3.connect(path, factory=Connection)
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (1000,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del connection
        gc.collect()
