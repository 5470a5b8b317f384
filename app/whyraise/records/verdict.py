"""Summarize the proof of a record for answers: its result in a sentence, and whether it is stale."""

from __future__ import annotations

from whyraise.namedtuples import TYPE_CHECKING
from whyraise.records import proof as proofs
from whyraise.records.proof import Proof
from whyraise.records.record import Record

if TYPE_CHECKING:
    from typing import Literal

    State = Literal["proven", "corrected", "fails", "notProven"]


def proof_of(record: Record) -> Proof | None:
    """Return the proof of a record, or None if there is none or it is invalid."""
    value = record.beside.get("proof")
    try:
        return proofs.from_json(value) if isinstance(value, dict) else None
    except (ValueError, TypeError, KeyError):
        return None


def stale_reason(record: Record) -> str:
    """Return why a record's proof is stale, or an empty string."""
    return _stale_reason(record, proof_of(record))


def _stale_reason(record: Record, proof: Proof | None) -> str:
    return str(record.beside.get("stale") or proofs.outdated_reason(proof)) if proof else ""


def summary(record: Record) -> str:
    """Return a sentence that tells whether the record's fix was run, and with which result."""
    proof = proof_of(record)
    if proof is None and not record.fields.get("exampleFix"):
        return "No fix is published."
    sentence = proofs.sentence(proof, _stale_reason(record, proof))
    return f"{sentence[:1].upper()}{sentence[1:]}."


def field_state(record: Record, field: str) -> State:
    """Return the result of running one field's code; "notProven" also if the record changed after its proof."""
    proof = proof_of(record)
    if proof is None or proof.verdict in ("unproven", "notReproduced") or record.beside.get("stale"):
        return "notProven"
    published = [stage.holds for stage in proof.stages if _ran_field(stage.name, field)]
    corrected = [
        stage.holds
        for stage in proof.stages
        if stage.name.startswith("corrected.") and _ran_field(stage.name.removeprefix("corrected."), field)
    ]
    if not published:
        return "notProven"
    if all(published):
        return "proven"
    return "corrected" if corrected and all(corrected) else "fails"


def _ran_field(stage: str, field: str) -> bool:
    """Return whether a stage ran the code of a field; the code of a fix is run as `before` and `after`."""
    name = stage.split(".")[0]
    return name == field or (field == "exampleFix" and name in ("before", "after"))
