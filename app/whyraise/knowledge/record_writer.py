"""Write records into a knowledge file: each id once, in its newest copy."""

import json
import math
import sqlite3
from typing import NamedTuple

from whyraise.knowledge import index
from whyraise.knowledge.ingest import IngestedRecord
from whyraise.records.record import Fault, Json, Record
from whyraise.records.schema import read_timestamp
from whyraise.records.sources import SIDE_FILES
from whyraise.records.strict_json import compact_json

_INSERT = "INSERT INTO record VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class _StoredCopy(NamedTuple):
    """The copy of a record that the file holds so far: its number, the file it came from, when it was analysed."""

    number: int
    place: str
    analyzed: float


class RecordWriter:
    """Writes records, faults and notes into a new knowledge file.

    `versions` holds the data sets in the order of their first records, each with its newest version.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._stored: dict[str, _StoredCopy] = {}
        self.versions: dict[str, str] = {}

    def add(self, ingested: IngestedRecord) -> None:
        """Store a record; of two copies with one id, keep the newer one and the side files of both."""
        record = ingested.record
        self.versions[record.dataset] = _newest(self.versions.get(record.dataset, ""), ingested.version)
        stored = self._stored.get(record.id)
        if stored is None:
            self._insert(ingested)
        elif ingested.analyzed > stored.analyzed:
            beside = _add_side_files(record.beside, self._beside(stored))
            self._connection.execute("DELETE FROM record WHERE n = ?", (stored.number,))
            self._insert(ingested._replace(record=record._replace(beside=beside)))
            self._note_duplicate(ingested, dropped=stored.place, served=ingested.place)
        else:
            beside = _add_side_files(self._beside(stored), record.beside)
            self._connection.execute("UPDATE record SET beside = ? WHERE n = ?", (compact_json(beside), stored.number))
            self._note_duplicate(ingested, dropped=ingested.place, served=stored.place)

    def add_remark(self, kind: str, fault: Fault) -> None:
        """Store a remark of the kind "fault" or "note"."""
        self._connection.execute("INSERT INTO fault VALUES (?, ?, ?, ?)", (kind, *fault))

    def _insert(self, ingested: IngestedRecord) -> None:
        record = ingested.record
        row = _row(record, ingested.pattern.unmatched)
        number = self._connection.execute(_INSERT, row).lastrowid or 0
        if not ingested.pattern.unmatched:
            index.store(
                self._connection, number, ingested.pattern, error_class=record.error_class, function=record.function
            )
        tags = ((tag, number) for tag in dict.fromkeys(record.tags))
        self._connection.executemany("INSERT INTO tag VALUES (?, ?)", tags)
        self._stored[record.id] = _StoredCopy(number, ingested.place, ingested.analyzed)

    def _beside(self, stored: _StoredCopy) -> Json:
        row = self._connection.execute("SELECT beside FROM record WHERE n = ?", (stored.number,)).fetchone()
        beside: Json = json.loads(row[0])
        return beside

    def _note_duplicate(self, ingested: IngestedRecord, *, dropped: str, served: str) -> None:
        pointer = ingested.pointer if dropped == ingested.place else ""
        reason = (
            f"the id {ingested.record.id} occurs more than once; the copy in {served} is served,"
            " because no other copy was analysed later"
        )
        self.add_remark("note", Fault(dropped, pointer, reason))


def _row(record: Record, unmatched: str) -> tuple[object, ...]:
    return (
        record.id,
        record.dataset,
        record.repo,
        record.slug,
        record.error_class,
        record.severity,
        record.origin,
        record.site,
        record.function,
        record.line,
        _kind(record),
        unmatched,
        compact_json(record.fields),
        compact_json(record.beside),
    )


def _kind(record: Record) -> str:
    """Return what a mined record was made from: a template, a fragment or a site; empty if it does not say so."""
    site = record.beside.get("site")
    return str(site.get("kind", "")) if isinstance(site, dict) else ""


def _add_side_files(beside: Json, other: Json) -> Json:
    """Return `beside` of one copy of a record, with the side files that only the other copy has."""
    return {**{name: other[name] for name in SIDE_FILES if name in other}, **beside}


def _newest(*versions: str) -> str:
    """Return the latest of some data set versions: by time if they are timestamps, otherwise by text."""
    return max(versions, key=lambda version: (_timestamp(version), version))


def _timestamp(version: str) -> float:
    try:
        return read_timestamp(version)
    except ValueError:
        return -math.inf
