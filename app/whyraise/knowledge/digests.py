"""Compute the digests of a knowledge file: one for each data set, and one for all records."""

import hashlib
import sqlite3

from whyraise.records.strict_json import compact_json


def count_and_digest(connection: sqlite3.Connection, dataset: str) -> tuple[int, str]:
    """Return the number of records in a data set and their SHA-256, in the order of their ids."""
    rows = connection.execute("SELECT origin, fields, beside FROM record WHERE dataset = ? ORDER BY id", (dataset,))
    count, digest = 0, hashlib.sha256()
    for count, row in enumerate(rows, 1):  # noqa: B007 the last value is the number of rows
        digest.update(compact_json(row).encode())
    return count, digest.hexdigest()


def digest_of_all(connection: sqlite3.Connection) -> str:
    """Return the SHA-256 of all records together with their numbers, which the match index refers to."""
    digest = hashlib.sha256()
    for row in connection.execute("SELECT n, dataset, origin, fields, beside FROM record ORDER BY n"):
        digest.update(compact_json(row).encode())
    return digest.hexdigest()
