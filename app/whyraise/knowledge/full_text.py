"""Write the full-text index of a knowledge file: the words of every record, in the FTS5 table `prose`."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

# The record fields that the columns of `prose` after `message` and `name` contain.
_TAGS = ("tags", "backgroundTag")
_EXPLANATION = ("documentation", "triggerScenarios", "commonSituations", "solutions", "preventionTips")
_CODE = ("exampleFix", "validationCode", "typeGuard", "tryCatchPattern")


def index_words(connection: sqlite3.Connection) -> None:
    """Index the words of all records that are in the file."""
    connection.executemany(
        "INSERT INTO prose (rowid, message, name, tags, explanation, code) VALUES (?, ?, ?, ?, ?, ?)",
        _rows(connection),
    )


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[object, ...]]:
    """Yield the row of `prose` for every record."""
    for number, repo, slug, error_class, function, text in connection.execute(
        "SELECT n, repo, slug, error_class, function, fields FROM record ORDER BY n"
    ):
        fields: dict[str, Any] = json.loads(text)
        name = " ".join((repo, slug, error_class or "", function))
        columns = (_joined_text(fields, names) for names in (_TAGS, _EXPLANATION, _CODE))
        yield (number, fields["errorMessage"], name, *columns)


def _joined_text(fields: dict[str, Any], names: Iterable[str]) -> str:
    """Return the texts of several fields, one per line; a field is a string or a list of strings."""
    values = [fields.get(name) or "" for name in names]
    return "\n".join(value if isinstance(value, str) else "\n".join(value) for value in values)
