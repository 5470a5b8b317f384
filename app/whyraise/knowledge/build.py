"""The knowledge file, written: records of all sources compiled into one SQLite file, which appears as a whole."""

import hashlib
import json
import math
import os
import secrets
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple

from whyraise.errors import KnowledgeError
from whyraise.knowledge import file_format, index, queries
from whyraise.knowledge.ingest import Arrival, Note, arrivals
from whyraise.knowledge.side_files import index_wordings, judge_proofs
from whyraise.records.record import DataSet, Fault, Json, Record
from whyraise.records.schema import read_timestamp
from whyraise.records.sources import SIDE_FILES, Source, find_sources

_TABLES = f"""
PRAGMA application_id = {file_format.APPLICATION_ID};
PRAGMA user_version = {file_format.FORMAT};
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA foreign_keys = ON;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE dataset (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT NOT NULL,
    records INTEGER NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE record (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    dataset TEXT NOT NULL, repo TEXT NOT NULL, slug TEXT NOT NULL,
    error_class TEXT, severity TEXT NOT NULL, origin TEXT NOT NULL, site TEXT NOT NULL, function TEXT NOT NULL,
    line INTEGER NOT NULL, kind TEXT NOT NULL, unmatched TEXT NOT NULL, fields TEXT NOT NULL, beside TEXT NOT NULL
);
CREATE TABLE tag (
    tag TEXT NOT NULL, record INTEGER NOT NULL REFERENCES record (n) ON DELETE CASCADE, PRIMARY KEY (tag, record)
) WITHOUT ROWID;
CREATE TABLE fault (kind TEXT NOT NULL, file TEXT NOT NULL, pointer TEXT NOT NULL, reason TEXT NOT NULL);
CREATE VIRTUAL TABLE prose USING fts5 (
    message, name, tags, explanation, code, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
"""
_INDEXES = """
CREATE INDEX record_of_slug ON record (repo, slug, id);
CREATE INDEX record_of_error_class ON record (error_class, id);
CREATE INDEX record_of_severity ON record (severity, id);
CREATE INDEX record_of_origin ON record (origin, id);
CREATE INDEX record_of_dataset ON record (dataset, id);
CREATE INDEX record_unmatched ON record (id) WHERE unmatched != '';
CREATE INDEX tag_of_record ON tag (record);
"""
_INSERT = "INSERT INTO record VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# The record's fields that each column of `prose` after `message` and `name` is made of.
_TAGS = ("tags", "backgroundTag")
_EXPLANATION = ("documentation", "triggerScenarios", "commonSituations", "solutions", "preventionTips")
_CODE = ("exampleFix", "validationCode", "typeGuard", "tryCatchPattern")


class Built(NamedTuple):
    """What a knowledge file holds, and what was set aside or remarked upon on the way."""

    path: str
    digest: str
    datasets: tuple[DataSet, ...]
    records: int
    unmatched: tuple[queries.Unmatched, ...]
    faults: tuple[Fault, ...]
    notes: tuple[Fault, ...]


def build(
    sources: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    cache: str | os.PathLike[str] | None = None,
) -> Built:
    """Compile the records of paths and URLs into the knowledge file `out`; the same input gives the same digest.

    What cannot be used is set aside and named in the result and in the file. Bodies of URLs are kept in the folder
    `cache`, for this once where there is none. Raises `SourceError` where a source cannot be read at all, and
    `KnowledgeError` where `out` cannot be written or is a file of another kind.
    """
    with tempfile.TemporaryDirectory() as once:
        return write(find_sources(sources, once if cache is None else os.fspath(cache)), os.fspath(out))


def write(sources: Iterable[Source], path: str) -> Built:
    """Compile the records of sources into the knowledge file `path`, as `build` does."""
    with _replacing(path) as part, closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.executescript(_TABLES + index.SCHEMA)
        connection.execute("BEGIN")
        versions = _fill(connection, arrivals(sources))
        connection.executescript(_INDEXES)  # commits what was filled in
        _describe(connection, versions)
        return _summary(connection, path)


@contextmanager
def _replacing(path: str) -> Iterator[str]:
    """Give the name of a new file that takes the place of `path` when all has gone well."""
    if os.path.exists(path) and os.path.getsize(path) and not file_format.is_knowledge_file(path):
        raise KnowledgeError(f"{path} is no knowledge file, and is not overwritten. Name another file.")
    part = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{secrets.token_hex(4)}.part")
    try:
        yield part
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    except (OSError, sqlite3.Error) as error:
        raise KnowledgeError(f"{path} cannot be written: {error}.") from error
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


class _Served(NamedTuple):
    """The copy of a record that is served so far: its number, where it stood, when it was analysed."""

    number: int
    place: str
    analyzed: float


class _Filling:
    """A knowledge file being filled: every id once, in its newest copy."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._served: dict[str, _Served] = {}
        self.versions: dict[str, str] = {}

    def take(self, arrival: Arrival) -> None:
        """Store a record; of two copies the newer one stays, with what lies beside either."""
        record = arrival.record
        self.versions[record.dataset] = _newest(self.versions.get(record.dataset, ""), arrival.version)
        served = self._served.get(record.id)
        if served is None:
            self._store(arrival)
        elif arrival.analyzed > served.analyzed:
            beside = _inherit(record.beside, self._beside(served))
            self._connection.execute("DELETE FROM record WHERE n = ?", (served.number,))
            self._store(arrival._replace(record=record._replace(beside=beside)))
            self._note_twin(served.place, arrival, arrival.place)
        else:
            beside = _inherit(self._beside(served), record.beside)
            self._connection.execute("UPDATE record SET beside = ? WHERE n = ?", (_json(beside), served.number))
            self._note_twin(arrival.place, arrival, served.place)

    def remark(self, kind: str, fault: Fault) -> None:
        """Write down a fault or a note."""
        self._connection.execute("INSERT INTO fault VALUES (?, ?, ?, ?)", (kind, *fault))

    def _store(self, arrival: Arrival) -> None:
        record = arrival.record
        row = _row(record, arrival.pattern.unmatched)
        number = self._connection.execute(_INSERT, row).lastrowid or 0
        if not arrival.pattern.unmatched:
            index.store(
                self._connection, number, arrival.pattern, error_class=record.error_class, function=record.function
            )
        tags = ((tag, number) for tag in dict.fromkeys(record.tags))
        self._connection.executemany("INSERT INTO tag VALUES (?, ?)", tags)
        self._served[record.id] = _Served(number, arrival.place, arrival.analyzed)

    def _beside(self, served: _Served) -> Json:
        row = self._connection.execute("SELECT beside FROM record WHERE n = ?", (served.number,)).fetchone()
        beside: Json = json.loads(row[0])
        return beside

    def _note_twin(self, dropped: str, arrival: Arrival, kept: str) -> None:
        reason = f"the id {arrival.record.id} is there twice; the copy in {kept} is served, as none was analysed later"
        self.remark("note", Fault(dropped, arrival.pointer if dropped == arrival.place else "", reason))


def _fill(connection: sqlite3.Connection, coming: Iterable[Arrival | Fault | Note]) -> dict[str, str]:
    """Store all that comes in and return the data sets in the order in which they came, each with its version."""
    filling = _Filling(connection)
    for each in coming:
        if isinstance(each, Arrival):
            filling.take(each)
        elif isinstance(each, Note):
            filling.remark("note", each.fault)
        else:
            filling.remark("fault", each)
    for fault in index_wordings(connection):
        filling.remark("fault", fault)
    judge_proofs(connection)
    index.prune(connection)
    connection.executemany(
        "INSERT INTO prose (rowid, message, name, tags, explanation, code) VALUES (?, ?, ?, ?, ?, ?)",
        _prose(connection),
    )
    return filling.versions


def _describe(connection: sqlite3.Connection, versions: dict[str, str]) -> None:
    for position, (name, version) in enumerate(versions.items()):
        row = (position, name, version, *_count_and_digest(connection, name))
        connection.execute("INSERT INTO dataset VALUES (?, ?, ?, ?, ?)", row)
    connection.execute("INSERT INTO meta VALUES ('digest', ?)", (_digest(connection),))


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
        _json(record.fields),
        _json(record.beside),
    )


def _kind(record: Record) -> str:
    """Return what a mined record is made of: a template, a fragment or a site; nothing where that is not said."""
    site = record.beside.get("site")
    return str(site.get("kind", "")) if isinstance(site, dict) else ""


def _inherit(mine: Json, its: Json) -> Json:
    """Return what lies beside one copy of a record, with the side files that lie beside the other one alone."""
    return {**{name: its[name] for name in SIDE_FILES if name in its}, **mine}


def _newest(one: str, other: str) -> str:
    """Return the later of two data set versions: by time where both are times, else by their text."""
    return max(one, other, key=lambda version: (_moment(version), version))


def _moment(version: str) -> float:
    try:
        return read_timestamp(version)
    except ValueError:
        return -math.inf


def _prose(connection: sqlite3.Connection) -> Iterator[tuple[object, ...]]:
    """Yield what can be searched of every record."""
    for number, repo, slug, error_class, function, text in connection.execute(
        "SELECT n, repo, slug, error_class, function, fields FROM record ORDER BY n"
    ):
        fields: dict[str, Any] = json.loads(text)
        name = " ".join((repo, slug, error_class or "", function))
        yield (number, fields["errorMessage"], name, *(_words(fields, names) for names in (_TAGS, _EXPLANATION, _CODE)))


def _words(fields: dict[str, Any], names: Iterable[str]) -> str:
    values = [fields.get(name) or "" for name in names]
    return "\n".join(value if isinstance(value, str) else "\n".join(value) for value in values)


def _count_and_digest(connection: sqlite3.Connection, dataset: str) -> tuple[int, str]:
    """Return the number of a data set's records and their SHA-256, taken in the order of their ids."""
    rows = connection.execute("SELECT origin, fields, beside FROM record WHERE dataset = ? ORDER BY id", (dataset,))
    count, digest = 0, hashlib.sha256()
    for count, row in enumerate(rows, 1):  # noqa: B007 the last one is the number
        digest.update(_json(row).encode())
    return count, digest.hexdigest()


def _digest(connection: sqlite3.Connection) -> str:
    """Return the SHA-256 of all records under the numbers by which the match index knows them."""
    digest = hashlib.sha256()
    for row in connection.execute("SELECT n, dataset, origin, fields, beside FROM record ORDER BY n"):
        digest.update(_json(row).encode())
    return digest.hexdigest()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _summary(connection: sqlite3.Connection, path: str) -> Built:
    datasets = queries.datasets(connection)
    return Built(
        path=path,
        digest=queries.digest(connection),
        datasets=datasets,
        records=sum(dataset.records for dataset in datasets),
        unmatched=queries.unmatched(connection),
        faults=queries.faults(connection),
        notes=queries.notes(connection),
    )
