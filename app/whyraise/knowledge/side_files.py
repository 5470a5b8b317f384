"""Use the side files of records while a knowledge file is built: index other wordings, mark stale proofs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from whyraise.errors import PatternError
from whyraise.knowledge import index
from whyraise.patterns.parse import read_pattern
from whyraise.records import proof
from whyraise.records.record import Fault
from whyraise.records.strict_json import compact_json


def index_wordings(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Index the additional wordings of records (`wordings.json`), and yield a fault for each invalid one."""
    rows = connection.execute(
        "SELECT n, id, function, beside FROM record WHERE instr(beside, '\"wordings\"')"
    ).fetchall()
    for number, record_id, function, beside in rows:
        wordings = json.loads(beside).get("wordings", [])
        for position, wording in enumerate(wordings if isinstance(wordings, list) else [wordings]):
            try:
                pattern = read_pattern(wording["pattern"], wording.get("message", wording["pattern"]))
            except (PatternError, KeyError, TypeError, AttributeError) as error:
                yield Fault(f"wordings of {record_id}", f"/{position}", f"the wording is invalid: {error}")
            else:
                index.store(connection, number, pattern, error_class=wording.get("class"), function=function)


def mark_stale_proofs(connection: sqlite3.Connection) -> None:
    """Mark each record whose proof was made for another version of the record, its scenario or its correction."""
    rows = connection.execute("SELECT n, fields, beside FROM record WHERE instr(beside, '\"proof\"')").fetchall()
    for number, fields, text in rows:
        beside = json.loads(text)
        stored_proof, old_reason = beside.get("proof"), beside.pop("stale", None)
        current = proof.digest(json.loads(fields), beside.get("scenario", ""), beside.get("correction"))
        if isinstance(stored_proof, dict) and stored_proof.get("digest") not in (None, current):
            beside["stale"] = proof.CHANGED
        if beside.get("stale") != old_reason:
            connection.execute("UPDATE record SET beside = ? WHERE n = ?", (compact_json(beside), number))
