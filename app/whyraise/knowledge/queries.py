"""The knowledge file, read: one SQLite file that holds records, what lies beside them and their full-text index.

A file is never written once it has its name; it is replaced as a whole. So it is opened immutable, without locks, and
all processes that serve it share the pages that the system keeps in memory.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping

from whyraise.errors import BadInput, NotFound
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.records.record import DataSet, Fault, Record, from_json

if TYPE_CHECKING:
    from typing import Any


_MOST_WORDS = 32
# Long words are rare ones, and the cost of a search for any of several is that of the frequent ones among them.
_TELLING_WORDS = 8

_COLUMNS = "record.dataset, record.origin, record.site, record.function, record.fields, record.beside"
_FILTERS = {
    "repo": "record.repo = ?",
    "tag": "record.n IN (SELECT record FROM tag WHERE tag = ?)",
    "errorClass": "record.error_class = ?",
    "severity": "record.severity = ?",
    "origin": "record.origin = ?",
    "proof": "coalesce(json_extract(record.beside, '$.proof.verdict'), 'unproven') = ?",
    "dataset": "record.dataset = ?",
}
# How much a word counts where it stands in the columns of `prose`, in their order.
_WEIGHTS = "8.0, 6.0, 4.0, 2.0, 1.0"


class Page(NamedTuple):
    """Records in the order of their ids; `after` is the last one's id where more follow, empty otherwise."""

    records: tuple[Record, ...]
    after: str


class Unmatched(NamedTuple):
    """A record that is served by its id but cannot be found in a text, and why."""

    id: str
    reason: str


def record_by_number(connection: sqlite3.Connection, number: int) -> Record:
    """Return the record that has a number in this file; raise `NotFound` where none has."""
    return _one(connection, "WHERE record.n = ?", number, f"No record has the number {number}.")


def record_by_id(connection: sqlite3.Connection, record_id: str) -> Record:
    """Return the record of an id; raise `NotFound` where there is none."""
    return _one(connection, "WHERE record.id = ?", _text(record_id), f"No record has the id {record_id!r}.")


def records_by_slug(connection: sqlite3.Connection, repo: str, slug: str) -> tuple[Record, ...]:
    """Return the records that share a repository and slug, in the order of their ids."""
    where = "WHERE record.repo = ? AND record.slug = ? ORDER BY record.id"
    return tuple(_records(connection, where, (_text(repo), _text(slug))))


def list_records(
    connection: sqlite3.Connection, filters: Mapping[str, str], q: str = "", after: str = "", limit: int = 50
) -> Page:
    """Return the records that all filters and all words of `q` hold for, from the id `after` on, at most `limit`.

    Raises `BadInput` for a filter that there is none of.
    """
    clauses, values = _narrowed(filters, q)
    where = " ".join(("WHERE", " AND ".join(["record.id > ?", *clauses]), "ORDER BY record.id LIMIT ?"))
    found = tuple(_records(connection, where, (_text(after), *values, limit + 1)))
    return Page(found[:limit], found[limit - 1].id if len(found) > limit else "")


def browse(
    connection: sqlite3.Connection, filters: Mapping[str, str], q: str = "", skip: int = 0, limit: int = 50
) -> tuple[Record, ...]:
    """Return the records that all filters and all words of `q` hold for: the best first by BM25, else by their ids."""
    clauses, values = _narrowed(filters, "")
    order = "ORDER BY record.id"
    if q.strip():
        clauses.append("prose MATCH ?")
        values.append(_quoted(q))
        order = f"ORDER BY bm25(prose, {_WEIGHTS}), record.id"
    where = " ".join(
        ("JOIN prose ON prose.rowid = record.n" if q.strip() else "", "WHERE", " AND ".join(["1", *clauses]), order)
    )
    return tuple(_records(connection, f"{where} LIMIT ? OFFSET ?", (*values, limit, skip)))


def _narrowed(filters: Mapping[str, str], q: str) -> tuple[list[str], list[object]]:
    """Return the clauses of filters and words, and their values."""
    if unknown := filters.keys() - _FILTERS.keys():
        raise BadInput(f"There is no filter {', '.join(sorted(unknown))}; there are {', '.join(_FILTERS)}.")
    clauses, values = [_FILTERS[name] for name in filters], [*map(_text, filters.values())]
    if q.strip():
        clauses.append("record.n IN (SELECT rowid FROM prose WHERE prose MATCH ?)")
        values.append(_quoted(q))
    return clauses, list[object](values)


def search(connection: sqlite3.Connection, words: str, limit: int = 10) -> tuple[Record, ...]:
    """Return the records in which all words stand, the best first by BM25."""
    where = (
        f"JOIN prose ON prose.rowid = record.n WHERE prose MATCH ? ORDER BY bm25(prose, {_WEIGHTS}), record.id LIMIT ?"
    )
    return tuple(_records(connection, where, (_quoted(words), limit)))


def similar(connection: sqlite3.Connection, text: str, limit: int) -> tuple[Record, ...]:
    """Return the records that share the most telling words with a text, best first by BM25 of their messages alone."""
    words = sorted(
        {word.lower() for word in re.findall(r"[^\W\d_]{3,}", _text(text))}, key=lambda word: (-len(word), word)
    )
    query = "message : (" + " OR ".join(f'"{word}"' for word in words[:_TELLING_WORDS]) + ")"
    where = "JOIN prose ON prose.rowid = record.n WHERE prose MATCH ? ORDER BY bm25(prose), record.id LIMIT ?"
    return tuple(_records(connection, where, (query, limit))) if words else ()


def unmatched_reason(connection: sqlite3.Connection, record_id: str) -> str:
    """Return why a record is served but cannot be found in a text, or nothing."""
    row = connection.execute("SELECT unmatched FROM record WHERE id = ?", (_text(record_id),)).fetchone()
    return str(row[0]) if row else ""


def datasets(connection: sqlite3.Connection) -> tuple[DataSet, ...]:
    """Return the data sets in the order in which they were given."""
    rows = connection.execute("SELECT name, version, records, digest FROM dataset ORDER BY position")
    return tuple(DataSet(*row) for row in rows)


def digest(connection: sqlite3.Connection) -> str:
    """Return the SHA-256 of all records, their numbers and what lies beside them, in hexadecimal."""
    (value,) = connection.execute("SELECT value FROM meta WHERE key = 'digest'").fetchone()
    return str(value)


def faults(connection: sqlite3.Connection) -> tuple[Fault, ...]:
    """Return what was set aside when the file was built, and why."""
    return _remarks(connection, "fault")


def notes(connection: sqlite3.Connection) -> tuple[Fault, ...]:
    """Return what was worth saying when the file was built but kept no record out."""
    return _remarks(connection, "note")


def counts(connection: sqlite3.Connection) -> tuple[tuple[str, str, int], ...]:
    """Return how many records there are of each repository and origin, the most first."""
    rows = connection.execute("SELECT repo, origin, count(*) FROM record GROUP BY repo, origin ORDER BY 3 DESC, 1, 2")
    return tuple(rows)


def unmatched(connection: sqlite3.Connection) -> tuple[Unmatched, ...]:
    """Return the records that are served by id but cannot be found in a text, in the order of their ids."""
    rows = connection.execute("SELECT id, unmatched FROM record WHERE unmatched != '' ORDER BY id")
    return tuple(Unmatched(*row) for row in rows)


def envelopes(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the data set and the envelope of every record, in the order of their numbers; every format has these."""
    versions = dict(connection.execute("SELECT name, version FROM dataset"))
    rows = connection.execute("SELECT dataset, origin, fields, beside FROM record ORDER BY n")
    for name, origin, fields, beside in rows:
        known = {"record": json.loads(fields), "datasetVersion": versions[name], "origin": origin}
        yield name, {**json.loads(beside), **known}


def _remarks(connection: sqlite3.Connection, kind: str) -> tuple[Fault, ...]:
    rows = connection.execute("SELECT file, pointer, reason FROM fault WHERE kind = ? ORDER BY rowid", (kind,))
    return tuple(Fault(*row) for row in rows)


def _one(connection: sqlite3.Connection, where: str, value: object, missing: str) -> Record:
    for record in _records(connection, where, (value,)):
        return record
    raise NotFound(missing)


def _records(connection: sqlite3.Connection, where: str, values: tuple[object, ...]) -> Iterator[Record]:
    return map(_record, connection.execute(" ".join(("SELECT", _COLUMNS, "FROM record", where)), values))


def _record(row: tuple[str, Any, str, str, str, str]) -> Record:
    dataset, origin, site, function, fields, beside = row
    return from_json(
        json.loads(fields), site=site, function=function, dataset=dataset, origin=origin, beside=json.loads(beside)
    )


def _quoted(words: str) -> str:
    """Return words as an FTS5 query for all of them, whatever signs they hold.

    A word such as `no_backward_sync` is a phrase of what FTS5 takes for its words; one without letters and digits would
    match nothing, and is left out.
    """
    kept = [word for word in _text(words).split() if re.search(r"[^\W_]", word)]
    return " ".join('"' + word.replace('"', '""') + '"' for word in kept[:_MOST_WORDS]) or '""'


def _text(value: str) -> str:
    """Return text that SQLite can be asked for; what UTF-8 cannot carry or FTS5 would end at stands in no record."""
    return value.encode("utf-8", "replace").decode().replace("\0", " ")
