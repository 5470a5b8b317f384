"""What is known: an open knowledge file and the index over it.

A catalog is read by many threads at once: each has a connection of its own, and shares the matcher and the wordings
that were read.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from functools import lru_cache

from whyraise import index, knowledge
from whyraise.index import Wording
from whyraise.record import DataSet, Record
from whyraise.scanner import Hits, scanner
from whyraise.sources import content_digest, find_sources, fingerprint

# Wordings kept in memory per literal that was met; a 5 KB paste meets some twenty literals.
_WORDINGS_KEPT = 20_000


class Catalog:
    """The records of one knowledge file, and the index that finds them in a text."""

    def __init__(self, path: str, cache: str) -> None:
        """Open a knowledge file; `cache` is the folder for the matcher's database.

        Raises `KnowledgeError` where the file cannot be used.
        """
        self.path = path
        self._own = threading.local()
        self.digest = knowledge.digest(self.connection)
        self.datasets: tuple[DataSet, ...] = knowledge.datasets(self.connection)
        count = self.connection.execute("SELECT count(*) FROM literal").fetchone()[0]
        store = os.path.join(cache, self.digest)
        self._scan = scanner(count, lambda: index.literals(self.connection), store)
        self.wordings = lru_cache(_WORDINGS_KEPT)(self._wordings)

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection to the knowledge file."""
        if not hasattr(self._own, "connection"):
            self._own.connection = knowledge.open_file(self.path)
        connection: sqlite3.Connection = self._own.connection
        return connection

    def scan(self, data: bytes) -> Hits:
        """Return every literal found in bytes without white space."""
        return self._scan(data)

    def _wordings(self, literal: int) -> tuple[Wording, ...]:
        return index.by_literal(self.connection, literal)

    def sited(self, class_name: str, function: str) -> tuple[Wording, ...]:
        """Return the wordings without literals that a function raises with a class of that bare name."""
        return index.by_site(self.connection, class_name, function)

    def record(self, number: int) -> Record:
        """Return the record with a number of the knowledge file."""
        return knowledge.record_by_number(self.connection, number)

    def record_of(self, record_id: str) -> Record:
        """Return the record of an id; raise `NotFound` where there is none."""
        return knowledge.record_by_id(self.connection, record_id)

    def wordings_of(self, record_id: str) -> tuple[Wording, ...]:
        """Return the wordings of a record."""
        return index.of_record(self.connection, record_id)

    def unmatched(self, record_id: str) -> str:
        """Return why a record is served but cannot be found in a text, or nothing."""
        return knowledge.unmatched_reason(self.connection, record_id)

    def similar(self, text: str, limit: int) -> tuple[Record, ...]:
        """Return the records that share the most telling words with a text, best first."""
        return knowledge.similar(self.connection, text, limit)


def open_sources(sources: Sequence[str], cache: str) -> Catalog:
    """Open records for lookup: a knowledge file as it is, anything else compiled into the cache folder first.

    What was compiled is kept by the digest of its content, so that only a change costs the time again. Raises
    `SourceError` and `KnowledgeError` where a source cannot be used.
    """
    if len(sources) == 1 and knowledge.is_knowledge_file(sources[0]):
        return Catalog(sources[0], cache)
    found = find_sources(sources, cache)
    # Reading everything for its digest takes long for large trees, so the digest is kept by sizes and times of files.
    note = os.path.join(cache, f"{fingerprint(found)}-{knowledge.FORMAT}.digest")
    path = _noted(note)
    if not path:
        path = os.path.join(cache, f"{content_digest(found)}-{knowledge.FORMAT}.db")
        os.makedirs(cache, exist_ok=True)
        if not os.path.exists(path):
            from whyraise.build import write  # noqa: PLC0415  # pydantic takes 0.2 s; only changed records need it

            write(found, path)
        _write_note(note, path)
    return Catalog(path, cache)


def _noted(note: str) -> str:
    """Return the knowledge file that a note names, or nothing where there is none."""
    try:
        with open(note, encoding="utf-8") as file:
            path = file.read()
    except OSError:
        return ""
    return path if os.path.exists(path) else ""


def _write_note(note: str, path: str) -> None:
    with open(f"{note}.{os.getpid()}", "w", encoding="utf-8") as file:
        file.write(path)
    os.replace(file.name, note)
