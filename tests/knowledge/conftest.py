from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.support.published import write
from whyraise.knowledge import file_format
from whyraise.knowledge.build import build


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., sqlite3.Connection]]:
    """A function that builds a knowledge file of some documents and opens it."""
    with ExitStack() as stack:

        def build_and_open(*documents: object) -> sqlite3.Connection:
            build([write(tmp_path / "data.json", list(documents))], tmp_path / "k.db")
            return stack.enter_context(closing(file_format.open_file(tmp_path / "k.db")))

        yield build_and_open
