"""What lies beside records, put to use when a knowledge file is made: other wordings, and whether proofs still fit."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from whyraise.errors import PatternError
from whyraise.knowledge import index
from whyraise.patterns.parse import read_pattern
from whyraise.records import proof
from whyraise.records.record import Fault


def index_wordings(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Index the other wordings that lie beside records, and yield those that cannot be searched for."""
    rows = connection.execute(
        "SELECT n, id, function, beside FROM record WHERE instr(beside, '\"wordings\"')"
    ).fetchall()
    for number, record_id, function, beside in rows:
        wordings = json.loads(beside).get("wordings", [])
        for place, wording in enumerate(wordings if isinstance(wordings, list) else [wordings]):
            try:
                pattern = read_pattern(wording["pattern"], wording.get("message", wording["pattern"]))
            except (PatternError, KeyError, TypeError, AttributeError) as error:
                yield Fault(f"wordings of {record_id}", f"/{place}", f"the wording cannot be used: {error}")
            else:
                index.store(connection, number, pattern, error_class=wording.get("class"), function=function)


def judge_proofs(connection: sqlite3.Connection) -> None:
    """Note beside each record whose proof speaks of other texts that it is stale."""
    rows = connection.execute("SELECT n, fields, beside FROM record WHERE instr(beside, '\"proof\"')").fetchall()
    for number, fields, text in rows:
        beside = json.loads(text)
        known, was = beside.get("proof"), beside.pop("stale", None)
        current = proof.digest(json.loads(fields), beside.get("scenario", ""), beside.get("correction"))
        if isinstance(known, dict) and known.get("digest") not in (None, current):
            beside["stale"] = proof.CHANGED
        if beside.get("stale") != was:
            row = (json.dumps(beside, ensure_ascii=False, separators=(",", ":")), number)
            connection.execute("UPDATE record SET beside = ? WHERE n = ?", row)
