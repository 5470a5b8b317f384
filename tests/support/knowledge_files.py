"""Read the records of built knowledge files."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from whyraise.knowledge import file_format, queries
from whyraise.knowledge.build import Built
from whyraise.records.record import Record


def ids(records: Iterable[Record]) -> list[str]:
    return [record.id for record in records]


def ids_in(path: str) -> list[str]:
    """Return the ids of all records of a knowledge file."""
    with closing(file_format.open_file(path)) as connection:
        return ids(queries.list_records(connection, {}).records)


def served(built: Built) -> list[tuple[str, str]]:
    """Return the id and the data set of every record of a built file."""
    with closing(file_format.open_file(built.path)) as connection:
        return [(record.id, record.dataset) for record in queries.list_records(connection, {}).records]
