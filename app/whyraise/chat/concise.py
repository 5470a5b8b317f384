"""Builds the answers for chatbots: what a model needs to know about an error, complete in itself, as data.

Only `quoted`, `exceptions` and `nearest` contain text of the paste; everything else comes from a record or from us.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from whyraise.chat.models import (
    Citation,
    ConciseCapture,
    ConciseException,
    ConciseFinding,
    ConciseNearest,
    ExplainErrorAnswer,
    GetRecordAnswer,
    QuotedMessage,
    RecordDetails,
    RecordSummary,
    SearchRecordsAnswer,
    Snippet,
    Verdict,
)
from whyraise.lookup.explanation import Explanation, Finding, Nearest, ranks_of
from whyraise.records import verdict
from whyraise.records.language import language_of
from whyraise.records.record import Record, address, correction

# The reader wants the first finding, and the others in case the first one is wrong.
MAX_FINDINGS = 3
_MAX_EXCEPTIONS, _MAX_NEAREST, _MAX_IDS, _MAX_CAPTURES, _MAX_PACKAGES = 3, 3, 5, 20, 5

_PASTE_MORE = "Paste the whole traceback with its last line, or the part of the log around the first error."

_SnippetKind = Literal["fix", "typeGuard", "validation", "handling"]
_SNIPPETS: tuple[tuple[str, _SnippetKind], ...] = (
    ("exampleFix", "fix"),
    ("typeGuard", "typeGuard"),
    ("validationCode", "validation"),
    ("tryCatchPattern", "handling"),
)


def from_explanation(explanation: Explanation, base_url: str) -> ExplainErrorAnswer:
    """Return the answer to a paste; `base_url` is the prefix of permanent addresses, or empty."""
    findings = explanation.findings[:MAX_FINDINGS]
    exceptions = [] if findings else explanation.exceptions[-_MAX_EXCEPTIONS:]
    return ExplainErrorAnswer(
        matched=bool(findings),
        findings=[_finding(finding, base_url) for finding in findings],
        others=[],
        exceptions=[
            ConciseException(error_class=block.class_name, message=block.message, rank=block.rank)
            for block in exceptions
        ],
        nearest=[_nearest(nearest, base_url) for nearest in explanation.nearest[:_MAX_NEAREST]],
        advice=explanation.wrapper or ("" if findings else _PASTE_MORE),
        growing=list(explanation.growing[:_MAX_PACKAGES]),
        truncated=bool(findings) and explanation.truncated,
        next="",
    )


def from_record(record: Record, base_url: str) -> GetRecordAnswer:
    """Return the answer that shows one record."""
    return GetRecordAnswer(record=RecordDetails(**_details(record, base_url)), truncated=False, next="")


def from_records(records: Iterable[Record], base_url: str, *, more: bool) -> SearchRecordsAnswer:
    """Return the answer that lists records; `more` says that further records contain the words."""
    summaries = [RecordSummary(**_summary(record, base_url)) for record in records]
    return SearchRecordsAnswer(records=summaries, truncated=more, next="")


def _finding(finding: Finding, base_url: str) -> ConciseFinding:
    captures = finding.captures[:_MAX_CAPTURES]
    return ConciseFinding(
        **_details(finding.record, base_url),
        confidence=finding.confidence,
        kind=finding.kind,
        evidence=[evidence.text for evidence in finding.evidence],
        quoted=QuotedMessage(
            message=finding.message,
            line=finding.line,
            captures=[ConciseCapture(name=capture.name, value=capture.value) for capture in captures],
            times=len(finding.occurrences),
            ranks=ranks_of(finding),
        ),
        same_as=list(finding.same_as[:_MAX_IDS]),
        equals=list(finding.equals[:_MAX_IDS]),
    )


def _nearest(nearest: Nearest, base_url: str) -> ConciseNearest:
    mismatch = nearest.parting
    return ConciseNearest(
        **_summary(nearest.record, base_url),
        matched=mismatch.matched,
        expected=mismatch.expected,
        found=mismatch.found,
        hint=mismatch.hint,
    )


def _summary(record: Record, base_url: str) -> dict[str, object]:
    return {
        "title": record.error_message,
        "error_class": record.error_class,
        "verdict": _verdict(record),
        "citation": _citation(record, base_url),
    }


def _details(record: Record, base_url: str) -> dict[str, object]:
    fix, *guards = (_snippet(record, field, kind) for field, kind in _SNIPPETS)
    return {
        **_summary(record, base_url),
        "origin": record.origin,
        "meaning": _text(record, "documentation"),
        "solutions": _texts(record, "solutions"),
        "fix": fix,
        "guards": [guard for guard in guards if guard],
        "strategy": _text(record, "handlingStrategy"),
        "triggers": _text(record, "triggerScenarios"),
        "situations": _text(record, "commonSituations"),
        "prevention": _texts(record, "preventionTips"),
        "excerpt": _text(record, "sourceCode"),
    }


def _snippet(record: Record, field: str, kind: _SnippetKind) -> Snippet | None:
    published = _text(record, field)
    if not published:
        return None
    state = verdict.field_state(record, field)
    corrected, why = correction(record, field) if state in ("corrected", "fails") else ("", "")
    if state == "corrected" and not corrected:
        state = "fails"
    language = language_of(record)
    code = corrected if state == "corrected" else published
    return Snippet(kind=kind, code=code, language=language, state=state, why=why)


def _verdict(record: Record) -> Verdict:
    proof = verdict.proof_of(record)
    return Verdict(verdict=proof.verdict if proof else "unproven", says=verdict.summary(record))


def _citation(record: Record, base_url: str) -> Citation:
    source = record.fields.get("githubUrl")
    return Citation(
        id=record.id,
        url=f"{base_url}{address(record)}",
        resource=f"whyraise://records/{record.id}",
        repo=record.repo,
        file=record.site,
        line=record.line,
        source=source if isinstance(source, str) else None,
    )


def _text(record: Record, field: str) -> str:
    value = record.fields.get(field)
    return value.strip("\n") if isinstance(value, str) and value.strip() else ""


def _texts(record: Record, field: str) -> list[str]:
    values = record.fields.get(field)
    return [str(value) for value in values] if isinstance(values, (list, tuple)) else []
