"""A catalog: an open knowledge file and its match index, ready for lookup.

Many threads may use one catalog at the same time.
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

# The number of literals whose wordings stay in memory; a 5 KB paste contains about twenty literals.
_CACHED_LITERALS = 20_000


class Catalog:
    """The records of one knowledge file, and the index that finds them in a text."""

    def __init__(self, path: str, cache: str, growing: tuple[str, ...] = ()) -> None:
        """Open a knowledge file; `cache` is the folder for the matcher's database.

        `growing` lists the packages, each as name and version, that are still being mined and will be added. Raises
        `KnowledgeError` if the file is invalid.
        """
        self.path = path
        self.growing = growing
        # All threads share one connection: SQLite serializes access by itself ("serialized" mode).
        self.connection = file_format.open_file(path)
        self.digest = queries.digest(self.connection)
        self.datasets: tuple[DataSet, ...] = queries.datasets(self.connection)
        count = self.connection.execute("SELECT count(*) FROM literal").fetchone()[0]
        store = os.path.join(cache, self.digest)
        self._scan = scanner(count, lambda: index.literals(self.connection), store)
        self.wordings = lru_cache(_CACHED_LITERALS)(self._wordings)

    def scan(self, data: bytes) -> Hits:
        """Return every literal that occurs in a text; `data` is the text without whitespace."""
        return self._scan(data)

    def _wordings(self, literal: int) -> tuple[Wording, ...]:
        return index.by_literal(self.connection, literal)

    def wordings_by_site(self, class_name: str, function: str) -> tuple[Wording, ...]:
        """Return the wordings without a literal that a function raises with a class of this bare name."""
        return index.by_site(self.connection, class_name, function)

    def wordings_by_class(self, class_name: str) -> tuple[Wording, ...]:
        """Return the wordings without a literal of a class that few statements raise.

        Python's built-in classes are left out, since they are raised everywhere.
        """
        return () if hasattr(builtins, class_name) else index.by_class(self.connection, class_name)

    def record(self, number: int) -> Record:
        """Return the record with a number of the knowledge file."""
        return queries.record_by_number(self.connection, number)

    def record_of(self, record_id: str) -> Record:
        """Return the record with an id; raise `NotFound` if there is none."""
        return queries.record_by_id(self.connection, record_id)

    def wordings_of(self, record_id: str) -> tuple[Wording, ...]:
        """Return the wordings of a record."""
        return index.of_record(self.connection, record_id)

    def unmatched(self, record_id: str) -> str:
        """Return why a record cannot be found in a text although it is served by id, or an empty string."""
        return queries.unmatched_reason(self.connection, record_id)

    def similar(self, text: str, limit: int) -> tuple[Record, ...]:
        """Return the records that share the most distinctive words with a text, best first."""
        return queries.similar(self.connection, text, limit)


def open_sources(sources: Sequence[str], cache: str) -> Catalog:
    """Open the records of paths and URLs for lookup; sources other than one knowledge file are first compiled.

    The compiled file is kept in the folder `cache`. Raises `SourceError` if a source cannot be read, and
    `KnowledgeError` if the cache cannot be written or a knowledge file is invalid.
    """
    return Catalog(knowledge_file(sources, cache), cache)
