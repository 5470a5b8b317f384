"""A connection to a knowledge file that many threads use at the same time."""

from __future__ import annotations

import sqlite3
from _thread import allocate_lock  # `threading` takes longer to import than a query

from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class Connection(sqlite3.Connection):
    """A connection whose statements take one step at a time, and which closes itself when nobody uses it any more.

    SQLite serializes access by itself. But since Python 3.12 `sqlite3` gives a prepared statement from its cache to a
    second thread while the first one is taking its first or last step, which ends in "bad parameter or other API
    misuse", in the rows of the other thread, or in a crash.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.stepping = allocate_lock()

    def execute(self, *arguments: Any) -> Cursor:
        """Start a statement; return a cursor whose steps wait for those of the others."""
        return Cursor(self).execute(*arguments)

    def __del__(self) -> None:
        try:
            self.close()
        except sqlite3.ProgrammingError:  # the file could not be opened
            return


class Cursor(sqlite3.Cursor):
    """A cursor that takes its steps while no other one of its connection does."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._stepping = connection.stepping

    def execute(self, *arguments: Any) -> Cursor:
        """Start a statement, as `sqlite3.Cursor.execute` does."""
        with self._stepping:
            return super().execute(*arguments)

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        with self._stepping:
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        """Return all remaining rows."""
        with self._stepping:
            return super().fetchall()

    def __next__(self) -> Any:
        with self._stepping:
            return super().__next__()
