"""Build a knowledge file: compile the records of all sources into one SQLite file, and replace it atomically."""

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

from whyraise.errors import KnowledgeError
from whyraise.files import Replacement
from whyraise.knowledge import file_format, full_text, index, queries
from whyraise.knowledge.digests import count_and_digest, digest_of_all
from whyraise.knowledge.ingest import IngestedRecord, Note, ingest
from whyraise.knowledge.record_writer import RecordWriter
from whyraise.knowledge.side_files import index_wordings, mark_stale_proofs
from whyraise.knowledge.tables import INDEXES, TABLES
from whyraise.records.record import DataSet, Fault
from whyraise.records.sources import Source, find_sources


class Built(NamedTuple):
    """What a knowledge file contains, which inputs were invalid (`faults`) and other remarks of the build (`notes`)."""

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

    Invalid records are left out; the result and the file list them. Downloads are kept in the folder `cache`, or in a
    temporary folder by default. Raises `SourceError` if a source cannot be read at all, and `KnowledgeError` if `out`
    cannot be written or is a file of another kind.
    """
    with tempfile.TemporaryDirectory() as temporary:
        return write(find_sources(sources, temporary if cache is None else os.fspath(cache)), os.fspath(out))


def write(sources: Iterable[Source], path: str) -> Built:
    """Compile the records of sources into the knowledge file `path`, as `build` does."""
    with _replace(path) as part, closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.executescript(TABLES + index.SCHEMA)
        connection.execute("BEGIN")
        versions = _store(connection, ingest(sources))
        connection.executescript(INDEXES)  # this also commits the transaction
        _store_datasets(connection, versions)
        return _summary(connection, path)


@contextmanager
def _replace(path: str) -> Iterator[str]:
    """Yield the path of a new file that replaces `path` if the block succeeds."""
    if os.path.exists(path) and os.path.getsize(path) and not file_format.is_knowledge_file(path):
        raise KnowledgeError(f"{path} is not a knowledge file, so it is not overwritten. Choose another file.")
    try:
        with Replacement(path) as temporary:
            yield temporary
            with open(temporary, "rb") as file:
                os.fsync(file.fileno())
    except (OSError, sqlite3.Error) as error:
        raise KnowledgeError(f"{path} cannot be written: {error}.") from error


def _store(connection: sqlite3.Connection, items: Iterable[IngestedRecord | Fault | Note]) -> dict[str, str]:
    """Store and index all items; return the version of each data set, in the order of their first records."""
    writer = RecordWriter(connection)
    for item in items:
        if isinstance(item, IngestedRecord):
            writer.add(item)
        elif isinstance(item, Note):
            writer.add_remark("note", item.fault)
        else:
            writer.add_remark("fault", item)
    for fault in index_wordings(connection):
        writer.add_remark("fault", fault)
    mark_stale_proofs(connection)
    index.prune(connection)
    full_text.index_words(connection)
    return writer.versions


def _store_datasets(connection: sqlite3.Connection, versions: dict[str, str]) -> None:
    for position, (name, version) in enumerate(versions.items()):
        row = (position, name, version, *count_and_digest(connection, name))
        connection.execute("INSERT INTO dataset VALUES (?, ?, ?, ?, ?)", row)
    connection.execute("INSERT INTO meta VALUES ('digest', ?)", (digest_of_all(connection),))


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
