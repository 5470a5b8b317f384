"""What answers say of a record's proof, in plain words and whether it still fits."""

from __future__ import annotations

from whyraise import proof as proofs
from whyraise.proof import Proof
from whyraise.record import Record


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
