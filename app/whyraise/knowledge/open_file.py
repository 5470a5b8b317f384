"""One open knowledge file with its match index. A catalog looks several of them up together.

Many threads may use one open file at the same time.
"""

from __future__ import annotations

import os
from functools import lru_cache, partial

from whyraise.knowledge import file_format, index, queries
from whyraise.matching.scanner import scanner
from whyraise.matching.wording import Wording
from whyraise.records.record import DataSet

# The number of literals whose wordings stay in memory; a 5 KB paste contains about twenty literals.
_CACHED_LITERALS = 20_000
# The number of records that stay in memory; the bundled ones have 5,700 characters of JSON on average.
_CACHED_RECORDS = 256


class OpenFile:
    """A knowledge file that is open for lookup."""

    def __init__(self, path: str, cache: str, *, own: str | None = None) -> None:
        """Open a file; `cache` is the folder for the matcher's database.

        If the records are the user's own, `own` is what an answer adds to the names of their data sets to say where
        they come from, mostly nothing. Paths and URLs are not named, since anybody may read an answer. Raises
        `KnowledgeError` if the file is invalid.
        """
        self.path = path
        # All threads share this connection.
        self.connection = file_format.open_file(path)
        self.digest = queries.digest(self.connection)
        self.datasets: tuple[DataSet, ...] = queries.datasets(self.connection)
        names = ", ".join(dataset.name for dataset in self.datasets)
        self.own_source = "" if own is None else f"{names}{own}"
        count = self.connection.execute("SELECT count(*) FROM literal").fetchone()[0]
        self.scan = scanner(count, lambda: index.literals(self.connection), os.path.join(cache, self.digest))
        self.wordings = lru_cache(_CACHED_LITERALS)(self._wordings)
        self.record = lru_cache(_CACHED_RECORDS)(partial(queries.record_by_number, self.connection))

    def _wordings(self, literal: int) -> tuple[Wording, ...]:
        return self._mark(index.by_literal(self.connection, literal))

    def wordings_by_site(self, class_name: str, function: str) -> tuple[Wording, ...]:
        """Return the wordings without a literal that a function raises with a class of this bare name."""
        return self._mark(index.by_site(self.connection, class_name, function))

    def wordings_by_class(self, class_name: str) -> tuple[Wording, ...]:
        """Return the wordings without a literal of a class that few statements raise."""
        return self._mark(index.by_class(self.connection, class_name))

    def wordings_of(self, record_id: str) -> tuple[Wording, ...]:
        """Return the wordings of a record."""
        return self._mark(index.of_record(self.connection, record_id))

    def _mark(self, wordings: tuple[Wording, ...]) -> tuple[Wording, ...]:
        return tuple(wording._replace(own=True) for wording in wordings) if self.own_source else wordings
