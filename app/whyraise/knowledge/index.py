"""Which literals lead to which wordings of which records, kept in the knowledge file.

Each wording contributes its longest literal, and its two ends for pastes that were cut there. What has no literal long
enough to mean anything is found by its raise site instead. `scanner` finds the literals in a text.
"""

from __future__ import annotations

import json
import sqlite3

from whyraise.matching.wording import Wording, anchors
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.patterns.chain import Chain, Expression, Gap, squeeze

if TYPE_CHECKING:  # what takes patterns apart is needed to store them, not to look them up
    from whyraise.patterns.parse import Pattern

# A class that so many statements raise without a text of their own tells nothing.
MOST_SITES = 60
SCHEMA = """
CREATE TABLE literal (n INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE);
CREATE TABLE wording (n INTEGER PRIMARY KEY, record INTEGER NOT NULL, class TEXT, body TEXT NOT NULL);
CREATE TABLE anchor (literal INTEGER NOT NULL, wording INTEGER NOT NULL, edge INTEGER NOT NULL);
CREATE INDEX anchor_literal ON anchor (literal);
CREATE TABLE sited (class TEXT NOT NULL, function TEXT NOT NULL, wording INTEGER NOT NULL);
CREATE INDEX sited_class ON sited (class, function);
"""


def store(
    connection: sqlite3.Connection, record: int, pattern: Pattern, *, error_class: str | None, function: str
) -> None:
    """Write what a pattern contributes to the index."""
    bodies: list[Chain | Expression] = [*pattern.chains, *([pattern.expression] if pattern.expression else [])]
    for body in bodies:
        row = (record, error_class, json.dumps(body, ensure_ascii=False))
        wording = connection.execute("INSERT INTO wording (record, class, body) VALUES (?, ?, ?)", row).lastrowid
        found = anchors(body)
        for literal, edge in found.items():
            connection.execute("INSERT OR IGNORE INTO literal (text) VALUES (?)", (literal,))
            connection.execute(
                "INSERT INTO anchor SELECT n, ?, ? FROM literal WHERE text = ?", (wording, int(edge), literal)
            )
        if not found:
            name = (error_class or "").rpartition(".")[2]
            connection.execute("INSERT INTO sited VALUES (?, ?, ?)", (name, function, wording))


def prune(connection: sqlite3.Connection) -> None:
    """Take out of the index what was contributed by records that are no longer there."""
    connection.execute("DELETE FROM wording WHERE record NOT IN (SELECT n FROM record)")
    connection.execute("DELETE FROM anchor WHERE wording NOT IN (SELECT n FROM wording)")
    connection.execute("DELETE FROM sited WHERE wording NOT IN (SELECT n FROM wording)")
    connection.execute("DELETE FROM literal WHERE n NOT IN (SELECT literal FROM anchor)")


_WORDINGS = """
SELECT w.n, r.n, r.id, coalesce(w.class, r.error_class), r.site, r.function, r.line, r.origin, r.kind, w.body, {edge}
FROM {source} JOIN record r ON r.n = w.record WHERE {where}
ORDER BY w.n
"""
_BY_LITERAL = _WORDINGS.format(
    edge="a.edge", source="anchor a JOIN wording w ON w.n = a.wording", where="a.literal = ?"
)
_BY_SITE = _WORDINGS.format(
    edge="0", source="sited s JOIN wording w ON w.n = s.wording", where="s.class IN (?, '') AND s.function IN (?, '')"
)
_BY_CLASS = _WORDINGS.format(edge="0", source="sited s JOIN wording w ON w.n = s.wording", where="s.class = ?")
_BY_RECORD = _WORDINGS.format(edge="0", source="wording w", where="r.id = ?")


def literals(connection: sqlite3.Connection) -> list[tuple[int, bytes]]:
    """Return every literal with its number."""
    return connection.execute("SELECT n, text FROM literal ORDER BY n").fetchall()


def by_literal(connection: sqlite3.Connection, literal: int) -> tuple[Wording, ...]:
    """Return the wordings that a literal leads to."""
    return tuple(_wording(row) for row in connection.execute(_BY_LITERAL, (literal,)))


def by_site(connection: sqlite3.Connection, class_name: str, function: str) -> tuple[Wording, ...]:
    """Return the wordings without a literal of a class (its bare name) raised in a function, or where none is known."""
    # A pasted name may hold lone surrogates, which no text in SQLite can.
    names = [name.encode("utf-8", "replace").decode() for name in (class_name, function)]
    return tuple(_wording(row) for row in connection.execute(_BY_SITE, names))


def by_class(connection: sqlite3.Connection, class_name: str) -> tuple[Wording, ...]:
    """Return the wordings without a literal of a class (its bare name), or none where too many statements raise it."""
    name = class_name.encode("utf-8", "replace").decode()
    found = connection.execute("SELECT count(*) FROM sited WHERE class = ?", (name,)).fetchone()[0]
    return tuple(_wording(row) for row in connection.execute(_BY_CLASS, (name,))) if found <= MOST_SITES else ()


def of_record(connection: sqlite3.Connection, record_id: str) -> tuple[Wording, ...]:
    """Return the wordings of one record."""
    return tuple(_wording(row) for row in connection.execute(_BY_RECORD, (record_id,)))


def _wording(row: tuple[object, ...]) -> Wording:
    *facts, body, edge = row
    parts = json.loads(str(body))
    if isinstance(parts[0], str):
        expression = Expression(parts[0], tuple(parts[1]), tuple(parts[2]))
        return Wording._make([*facts, None, expression, bool(edge), _needed(expression)])
    gaps = tuple(tuple(Gap(*gap) for gap in position) for position in parts[1])
    chain = Chain(tuple(parts[0]), gaps)
    return Wording._make([*facts, chain, None, bool(edge), _needed(chain)])


def _needed(body: Chain | Expression) -> tuple[bytes, ...]:
    return tuple(squeeze(literal).encode("utf-8", "surrogatepass") for literal in body.literals)
