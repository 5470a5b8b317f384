"""The match index of a knowledge file: which literals lead to which wordings of which records.

Each wording contributes its longest literal, and the literals at its two ends for truncated pastes. A wording without
a literal that is long enough is found by its raise site instead. `matching.scanner` finds the literals in a text.
"""

from __future__ import annotations

import json
import sqlite3

from whyraise.matching.wording import Wording, anchors
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.names import bare_name
from whyraise.patterns.chain import Chain, Expression, Gap, squeeze

if TYPE_CHECKING:  # the pattern parser is needed to store patterns, not to look them up
    from whyraise.patterns.parse import Pattern

# If more statements than this raise a class without a literal, the class alone is no evidence for any of them.
MAX_SITES = 60
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
    """Write the wordings of a pattern, and the literals or raise site that lead to them, to the index."""
    bodies: list[Chain | Expression] = [*pattern.chains, *([pattern.expression] if pattern.expression else [])]
    for body in bodies:
        row = (record, error_class, json.dumps(body, ensure_ascii=False))
        wording = connection.execute("INSERT INTO wording (record, class, body) VALUES (?, ?, ?)", row).lastrowid
        literals = anchors(body)
        for literal, edge in literals.items():
            connection.execute("INSERT OR IGNORE INTO literal (text) VALUES (?)", (literal,))
            connection.execute(
                "INSERT INTO anchor SELECT n, ?, ? FROM literal WHERE text = ?", (wording, int(edge), literal)
            )
        if not literals:
            connection.execute("INSERT INTO sited VALUES (?, ?, ?)", (bare_name(error_class or ""), function, wording))


def prune(connection: sqlite3.Connection) -> None:
    """Delete from the index what belongs to records that were deleted."""
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
    """Return the number and the bytes of every literal."""
    return connection.execute("SELECT n, text FROM literal ORDER BY n").fetchall()


def by_literal(connection: sqlite3.Connection, literal: int) -> tuple[Wording, ...]:
    """Return the wordings that a literal leads to."""
    return tuple(_wording(row) for row in connection.execute(_BY_LITERAL, (literal,)))


def by_site(connection: sqlite3.Connection, class_name: str, function: str) -> tuple[Wording, ...]:
    """Return the wordings without a literal for a class (its bare name) and a function.

    A wording whose class or function is unknown matches any class or function.
    """
    # A pasted name may contain lone surrogates, which SQLite cannot store as text.
    names = [name.encode("utf-8", "replace").decode() for name in (class_name, function)]
    return tuple(_wording(row) for row in connection.execute(_BY_SITE, names))


def by_class(connection: sqlite3.Connection, class_name: str) -> tuple[Wording, ...]:
    """Return the wordings without a literal for a class (its bare name), or none if there are more than `MAX_SITES`."""
    name = class_name.encode("utf-8", "replace").decode()
    count = connection.execute("SELECT count(*) FROM sited WHERE class = ?", (name,)).fetchone()[0]
    return tuple(_wording(row) for row in connection.execute(_BY_CLASS, (name,))) if count <= MAX_SITES else ()


def of_record(connection: sqlite3.Connection, record_id: str) -> tuple[Wording, ...]:
    """Return the wordings of a record."""
    return tuple(_wording(row) for row in connection.execute(_BY_RECORD, (record_id,)))


def _wording(row: tuple[object, ...]) -> Wording:
    *columns, body, edge = row
    parts = json.loads(str(body))
    if isinstance(parts[0], str):
        expression = Expression(parts[0], tuple(parts[1]), tuple(parts[2]))
        return Wording._make([*columns, None, expression, bool(edge), _required_literals(expression), False])
    gaps = tuple(tuple(Gap(*gap) for gap in position) for position in parts[1])
    chain = Chain(tuple(parts[0]), gaps)
    return Wording._make([*columns, chain, None, bool(edge), _required_literals(chain), False])


def _required_literals(body: Chain | Expression) -> tuple[bytes, ...]:
    return tuple(squeeze(literal).encode("utf-8", "surrogatepass") for literal in body.literals)
