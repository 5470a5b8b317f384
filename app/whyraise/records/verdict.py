"""What answers say of a record's proof, in plain words and whether it still fits."""

from __future__ import annotations

from whyraise.namedtuples import TYPE_CHECKING
from whyraise.records import proof as proofs
from whyraise.records.proof import Proof
from whyraise.records.record import Record

if TYPE_CHECKING:
    from typing import Literal

    State = Literal["proven", "corrected", "fails", "notProven"]


def proof_of(record: Record) -> Proof | None:
    """Return the proof that lies beside a record; one that cannot be read is none."""
    known = record.beside.get("proof")
    try:
        return proofs.of(known) if isinstance(known, dict) else None
    except (ValueError, TypeError, KeyError):
        return None


def stale(record: Record) -> str:
    """Return why a record's proof no longer fits, or nothing."""
    proof = proof_of(record)
    return str(record.beside.get("stale") or proofs.outdated(proof)) if proof else ""


def words(record: Record) -> str:
    """Return in plain words whether the record's fix was run."""
    proof = proof_of(record)
    if proof is None and not record.fields.get("exampleFix"):
        return "No fix is published."
    said = proofs.sentence(proof, stale(record))
    return f"{said[:1].upper()}{said[1:]}."


def state(record: Record, field: str) -> State:
    """Return what running one field's code showed; a proof of other texts shows nothing."""
    proof = proof_of(record)
    if proof is None or proof.verdict in ("unproven", "notReproduced") or record.beside.get("stale"):
        return "notProven"
    published = [stage.holds for stage in proof.stages if _speaks_of(stage.name, field)]
    corrected = [
        stage.holds
        for stage in proof.stages
        if stage.name.startswith("corrected.") and _speaks_of(stage.name.removeprefix("corrected."), field)
    ]
    if not published:
        return "notProven"
    if all(published):
        return "proven"
    return "corrected" if corrected and all(corrected) else "fails"


def _speaks_of(stage: str, field: str) -> bool:
    """Say whether a stage ran the code of a field; that of a fix is run as `before` and `after`."""
    name = stage.split(".")[0]
    return name == field or (field == "exampleFix" and name in ("before", "after"))
