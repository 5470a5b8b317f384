"""What is known: an open knowledge file and the index over it.

A catalog is read by many threads at once.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from functools import lru_cache

from whyraise.knowledge import file_format, index, queries
from whyraise.knowledge.cache import knowledge_file
from whyraise.matching.scanner import Hits, scanner
from whyraise.matching.wording import Wording
from whyraise.records.record import DataSet, Record

# Wordings kept in memory per literal that was met; a 5 KB paste meets some twenty literals.
_WORDINGS_KEPT = 20_000


class Catalog:
    """The records of one knowledge file, and the index that finds them in a text."""

    def __init__(self, path: str, cache: str, growing: tuple[str, ...] = ()) -> None:
        """Open a knowledge file; `cache` is the folder for the matcher's database.

        `growing` are the packages, each as name and version, that are still being mined for it. Raises `KnowledgeError`
        where the file cannot be used.
        """
        self.path = path
        self.growing = growing
        # One connection for all threads: SQLite itself lets them take turns (its "serialized" mode).
        self.connection = file_format.open_file(path)
        self.digest = queries.digest(self.connection)
        self.datasets: tuple[DataSet, ...] = queries.datasets(self.connection)
        count = self.connection.execute("SELECT count(*) FROM literal").fetchone()[0]
        store = os.path.join(cache, self.digest)
        self._scan = scanner(count, lambda: index.literals(self.connection), store)
        self.wordings = lru_cache(_WORDINGS_KEPT)(self._wordings)

    def scan(self, data: bytes) -> Hits:
        """Return every literal found in bytes without white space."""
        return self._scan(data)

    def _wordings(self, literal: int) -> tuple[Wording, ...]:
        return index.by_literal(self.connection, literal)

    def sited(self, class_name: str, function: str) -> tuple[Wording, ...]:
        """Return the wordings without literals that a function raises with a class of that bare name."""
        return index.by_site(self.connection, class_name, function)

    def classed(self, class_name: str) -> tuple[Wording, ...]:
        """Return the wordings without literals of a class that few statements raise; Python's own are everywhere."""
        return () if hasattr(builtins, class_name) else index.by_class(self.connection, class_name)

    def record(self, number: int) -> Record:
        """Return the record with a number of the knowledge file."""
        return queries.record_by_number(self.connection, number)

    def record_of(self, record_id: str) -> Record:
        """Return the record of an id; raise `NotFound` where there is none."""
        return queries.record_by_id(self.connection, record_id)

    def wordings_of(self, record_id: str) -> tuple[Wording, ...]:
        """Return the wordings of a record."""
        return index.of_record(self.connection, record_id)

    def unmatched(self, record_id: str) -> str:
        """Return why a record is served but cannot be found in a text, or nothing."""
        return queries.unmatched_reason(self.connection, record_id)

    def similar(self, text: str, limit: int) -> tuple[Record, ...]:
        """Return the records that share the most telling words with a text, best first."""
        return queries.similar(self.connection, text, limit)


def open_sources(sources: Sequence[str], cache: str) -> Catalog:
    """Open the records of paths and URLs for lookup; what is no knowledge file is compiled into the cache first.

    Raises `SourceError` and `KnowledgeError` where a source or the cache cannot be used.
    """
    return Catalog(knowledge_file(sources, cache), cache)
