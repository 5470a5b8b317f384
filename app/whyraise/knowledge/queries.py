"""Read records from an open knowledge file: by id, number or slug, by filters, and by full-text search.

A knowledge file is never modified, only replaced as a whole. So it is opened as immutable, without locks, and all
processes that serve it share the pages that the operating system caches.
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

_MAX_WORDS = 32
# A prefix of an id must have at least this length; what follows all ids with a prefix is that prefix and this letter.
_SHORTEST_PREFIX, _AFTER_ALL_LETTERS = 4, "\x7f"
# `similar` searches for the longest words only: long words are rare, and frequent words make such a search slow.
_DISTINCTIVE_WORDS = 8

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
# The weights of the columns of `prose` in a search, in the order of the columns.
_WEIGHTS = "8.0, 6.0, 4.0, 2.0, 1.0"


class Page(NamedTuple):
    """Records in the order of their ids; `after` is the id of the last one if more follow, otherwise empty."""

    records: tuple[Record, ...]
    after: str


class Unmatched(NamedTuple):
    """A record that is served by its id but cannot be found in a text, and the reason."""

    id: str
    reason: str


def record_by_number(connection: sqlite3.Connection, number: int) -> Record:
    """Return the record with a number of this file; raise `NotFound` if there is none."""
    return _first(connection, "WHERE record.n = ?", number, f"No record has the number {number}.")


def records_by_id(connection: sqlite3.Connection, record_id: str) -> tuple[Record, ...]:
    """Return the record with an id, or nothing."""
    return tuple(_records(connection, "WHERE record.id = ?", (_sqlite_text(record_id),)))


def records_by_prefix(connection: sqlite3.Connection, prefix: str) -> tuple[Record, ...]:
    """Return the first two records whose ids have a prefix of at least four letters and digits."""
    if len(prefix) < _SHORTEST_PREFIX or not (prefix.isascii() and prefix.isalnum()):
        return ()
    where = "WHERE record.id >= ? AND record.id < ? ORDER BY record.id LIMIT 2"
    return tuple(_records(connection, where, (prefix, f"{prefix}{_AFTER_ALL_LETTERS}")))


def records_by_any_slug(connection: sqlite3.Connection, name: str) -> tuple[Record, ...]:
    """Return the records with a slug, given alone or as owner/repository/slug; at most two of a slug alone."""
    repo, _, slug = name.rpartition("/")
    if repo:
        return records_by_slug(connection, repo, slug)
    if "-" not in name:  # a search for a slug without its repository looks at every record
        return ()
    return tuple(_records(connection, "WHERE record.slug = ? LIMIT 2", (_sqlite_text(slug),)))


def records_by_slug(connection: sqlite3.Connection, repo: str, slug: str) -> tuple[Record, ...]:
    """Return the records with a repository and slug, in the order of their ids."""
    where = "WHERE record.repo = ? AND record.slug = ? ORDER BY record.id"
    return tuple(_records(connection, where, (_sqlite_text(repo), _sqlite_text(slug))))


def list_records(
    connection: sqlite3.Connection, filters: Mapping[str, str], q: str = "", after: str = "", limit: int = 50
) -> Page:
    """Return at most `limit` records that match all filters and all words of `q`; their ids follow the id `after`.

    Raises `BadInput` for an unknown filter.
    """
    clauses, values = _conditions(filters, q)
    where = " ".join(("WHERE", " AND ".join(["record.id > ?", *clauses]), "ORDER BY record.id LIMIT ?"))
    records = tuple(_records(connection, where, (_sqlite_text(after), *values, limit + 1)))
    return Page(records[:limit], records[limit - 1].id if len(records) > limit else "")


def browse(
    connection: sqlite3.Connection, filters: Mapping[str, str], q: str = "", skip: int = 0, limit: int = 50
) -> tuple[Record, ...]:
    """Return the records that match all filters and all words of `q`.

    They are ordered by BM25, best first, or by id if `q` has no words. Raises `BadInput` for an unknown filter.
    """
    clauses, values = _conditions(filters, "")
    order = "ORDER BY record.id"
    if q.strip():
        clauses.append("prose MATCH ?")
        values.append(_fts_query(q))
        order = f"ORDER BY bm25(prose, {_WEIGHTS}), record.id"
    where = " ".join(
        ("JOIN prose ON prose.rowid = record.n" if q.strip() else "", "WHERE", " AND ".join(["1", *clauses]), order)
    )
    return tuple(_records(connection, f"{where} LIMIT ? OFFSET ?", (*values, limit, skip)))


def _conditions(filters: Mapping[str, str], q: str) -> tuple[list[str], list[object]]:
    """Return the SQL conditions for filters and words, and their values."""
    if unknown := filters.keys() - _FILTERS.keys():
        raise BadInput(f"Unknown filter: {', '.join(sorted(unknown))}. The filters are {', '.join(_FILTERS)}.")
    clauses, values = [_FILTERS[name] for name in filters], [*map(_sqlite_text, filters.values())]
    if q.strip():
        clauses.append("record.n IN (SELECT rowid FROM prose WHERE prose MATCH ?)")
        values.append(_fts_query(q))
    return clauses, list[object](values)


def search(connection: sqlite3.Connection, words: str, limit: int = 10) -> tuple[Record, ...]:
    """Return the records that contain all words, ordered by BM25, best first."""
    where = (
        f"JOIN prose ON prose.rowid = record.n WHERE prose MATCH ? ORDER BY bm25(prose, {_WEIGHTS}), record.id LIMIT ?"
    )
    return tuple(_records(connection, where, (_fts_query(words), limit)))


def similar(connection: sqlite3.Connection, text: str, limit: int) -> tuple[Record, ...]:
    """Return the records whose messages contain any of the longest words of a text, ordered by BM25, best first."""
    words = sorted(
        {word.lower() for word in re.findall(r"[^\W\d_]{3,}", _sqlite_text(text))}, key=lambda word: (-len(word), word)
    )
    query = "message : (" + " OR ".join(f'"{word}"' for word in words[:_DISTINCTIVE_WORDS]) + ")"
    where = "JOIN prose ON prose.rowid = record.n WHERE prose MATCH ? ORDER BY bm25(prose), record.id LIMIT ?"
    return tuple(_records(connection, where, (query, limit))) if words else ()


def unmatched_reason(connection: sqlite3.Connection, record_id: str) -> str:
    """Return why a record cannot be found in a text although it is served by id, or an empty string."""
    row = connection.execute("SELECT unmatched FROM record WHERE id = ?", (_sqlite_text(record_id),)).fetchone()
    return str(row[0]) if row else ""


def datasets(connection: sqlite3.Connection) -> tuple[DataSet, ...]:
    """Return the data sets in the order of their sources."""
    rows = connection.execute("SELECT name, version, records, digest FROM dataset ORDER BY position")
    return tuple(DataSet(*row) for row in rows)


def digest(connection: sqlite3.Connection) -> str:
    """Return the SHA-256 of all records, their numbers and their side files, in hexadecimal."""
    (value,) = connection.execute("SELECT value FROM meta WHERE key = 'digest'").fetchone()
    return str(value)


def faults(connection: sqlite3.Connection) -> tuple[Fault, ...]:
    """Return what was left out when the file was built, and why."""
    return _remarks(connection, "fault")


def notes(connection: sqlite3.Connection) -> tuple[Fault, ...]:
    """Return the remarks of the build that did not make a record invalid."""
    return _remarks(connection, "note")


def counts(connection: sqlite3.Connection) -> tuple[tuple[str, str, int], ...]:
    """Return repository, origin and number of records for each repository and origin, the largest number first."""
    rows = connection.execute("SELECT repo, origin, count(*) FROM record GROUP BY repo, origin ORDER BY 3 DESC, 1, 2")
    return tuple(rows)


def unmatched(connection: sqlite3.Connection) -> tuple[Unmatched, ...]:
    """Return the records that are served by id but cannot be found in a text, in the order of their ids."""
    rows = connection.execute("SELECT id, unmatched FROM record WHERE unmatched != '' ORDER BY id")
    return tuple(Unmatched(*row) for row in rows)


def envelopes(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the data set and the envelope of every record, in the order of their numbers.

    This works for every format version of the file.
    """
    versions = dict(connection.execute("SELECT name, version FROM dataset"))
    rows = connection.execute("SELECT dataset, origin, fields, beside FROM record ORDER BY n")
    for name, origin, fields, beside in rows:
        envelope = {"record": json.loads(fields), "datasetVersion": versions[name], "origin": origin}
        yield name, {**json.loads(beside), **envelope}


def _remarks(connection: sqlite3.Connection, kind: str) -> tuple[Fault, ...]:
    rows = connection.execute("SELECT file, pointer, reason FROM fault WHERE kind = ? ORDER BY rowid", (kind,))
    return tuple(Fault(*row) for row in rows)


def _first(connection: sqlite3.Connection, where: str, value: object, not_found: str) -> Record:
    for record in _records(connection, where, (value,)):
        return record
    raise NotFound(not_found)


def _records(connection: sqlite3.Connection, where: str, values: tuple[object, ...]) -> Iterator[Record]:
    return map(_record, connection.execute(" ".join(("SELECT", _COLUMNS, "FROM record", where)), values))


def _record(row: tuple[str, Any, str, str, str, str]) -> Record:
    dataset, origin, site, function, fields, beside = row
    return from_json(
        json.loads(fields), site=site, function=function, dataset=dataset, origin=origin, beside=json.loads(beside)
    )


def _fts_query(words: str) -> str:
    """Return an FTS5 query for all words; each is quoted, so that no character in it is read as an operator.

    FTS5 may split a word such as `no_backward_sync` into several; quoted, it is searched for as a phrase. A word
    without letters and digits would match nothing, so it is left out.
    """
    searchable = [word for word in _sqlite_text(words).split() if re.search(r"[^\W_]", word)]
    return " ".join('"' + word.replace('"', '""') + '"' for word in searchable[:_MAX_WORDS]) or '""'


def _sqlite_text(value: str) -> str:
    """Return a text with replacements for lone surrogates, which UTF-8 cannot encode, and NUL, which ends FTS5 queries.

    Ids, repositories and slugs contain neither.
    """
    return value.encode("utf-8", "replace").decode().replace("\0", " ")
