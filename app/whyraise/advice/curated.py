"""Advice from records: the solutions and the fix that a record publishes, or the corrected fix if that one fails."""

from __future__ import annotations

from collections.abc import Iterator

from whyraise.errors import BadInput
from whyraise.lookup.explanation import Advice, Explanation
from whyraise.records import proof as proofs
from whyraise.records import verdict
from whyraise.records.fix import split_fix
from whyraise.records.record import Record, correction


def advise(explanation: Explanation) -> Explanation:
    """Return an explanation with the advice of each finding; an exception without a finding gets none of this kind."""
    findings = (finding._replace(advice=tuple(_advice(finding.record))) for finding in explanation.findings)
    return explanation._replace(findings=tuple(findings), exceptions_advice=tuple(() for _ in explanation.exceptions))


def _advice(record: Record) -> Iterator[Advice]:
    """Yield the advice of a record; its fix belongs to the first solution, which it shows."""
    solutions = record.fields.get("solutions")
    texts = [str(solution) for solution in solutions] if isinstance(solutions, (list, tuple)) else []
    code = _fix(record)
    if code and not texts:
        texts = ["Apply the fix."]
    source = f"record {record.id}"
    for number, text in enumerate(texts):
        yield Advice(text, "" if number else code, "curated", "" if number else verdict.summary(record), source)


def _fix(record: Record) -> str:
    """Return the fixed code of a record: the part after its mark, of the correction if the published one fails."""
    published = record.fields.get("exampleFix")
    if not isinstance(published, str):
        return ""
    corrected = correction(record, "exampleFix")[0]
    proof = verdict.proof_of(record) if corrected else None
    text = corrected if proof and "exampleFix" in proofs.failed(proof) else published
    try:
        return split_fix(text)[1].strip("\n")
    except BadInput:  # a fix without marks is shown as it is
        return text
