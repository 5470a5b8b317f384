"""Formats an answer as JSON: the same object over HTTP and on the command line.

Keys are camelCase as in a record. A record's published fields are passed on unchanged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from whyraise.lookup.diagnosis import Diagnosis
from whyraise.lookup.explanation import Advice, Capture, Explanation, Finding, Nearest, Occurrence
from whyraise.matching.mismatch import Mismatch
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.frames import Frame
from whyraise.reading.paste import Span
from whyraise.records import verdict
from whyraise.records.record import DataSet, Record, address

Answer = dict[str, object]
# Converts an offset in code points to the unit of the caller, such as UTF-16 code units.
Offset = Callable[[int], int]


def code_points(offset: int) -> int:
    """Return the offset unchanged: offsets in an explanation are in code points."""
    return offset


def utf16_units(text: str) -> Offset:
    """Return a function that converts offsets in a text to UTF-16 code units, which browsers use."""
    if text.isascii() or max(text) <= "\uffff":
        return code_points
    surrogate_pairs = [index for index, char in enumerate(text) if char > "\uffff"]
    return lambda offset: offset + bisect_left(surrogate_pairs, offset)


def explanation(explanation: Explanation, offset: Offset = code_points) -> Answer:
    """Return an explanation as JSON."""
    return {
        "datasets": [dataset(item) for item in explanation.datasets],
        "findings": [_finding(finding, offset) for finding in explanation.findings],
        "exceptions": _exceptions(explanation),
        "nearest": [_nearest(nearest, offset) for nearest in explanation.nearest],
        "wrapper": explanation.wrapper,
        "truncated": explanation.truncated,
        "growing": list(explanation.growing),
        "muted": explanation.muted,
    }


def diagnosis(diagnosis: Diagnosis, offset: Offset = code_points) -> Answer:
    """Return a diagnosis as JSON."""
    return {
        "id": diagnosis.record.id,
        "matches": diagnosis.matches,
        "reason": diagnosis.reason,
        "parting": diagnosis.parting and _mismatch(diagnosis.parting, diagnosis.spans, offset),
    }


def dataset(dataset: DataSet) -> Answer:
    """Return a data set as JSON."""
    return {"name": dataset.name, "version": dataset.version, "records": dataset.records, "digest": dataset.digest}


def record(record: Record) -> Answer:
    """Return a record as it was published, with its supplementary data and its links."""
    return {
        "record": record.fields,
        "dataset": record.dataset,
        "origin": record.origin,
        **_supplements(record),
        "links": links(record),
    }


def links(record: Record) -> Answer:
    """Return the path of a record in the API, the path of its permanent page, and the URL of its source code."""
    result: Answer = {"self": f"/v1/records/{record.id}", "page": address(record)}
    if record.fields.get("githubUrl"):
        result["source"] = record.fields["githubUrl"]
    return result


def _supplements(record: Record) -> Answer:
    names = ("versions", "history", "licence", "correction", "proof", "wordings", "site")
    supplements = {name: record.beside[name] for name in names if name in record.beside}
    return {**supplements, "proofSays": verdict.summary(record), "proofStale": verdict.stale_reason(record) or None}


def _finding(finding: Finding, offset: Offset) -> Answer:
    return {
        "confidence": finding.confidence,
        "kind": finding.kind,
        "evidence": [{"kind": evidence.kind, "text": evidence.text} for evidence in finding.evidence],
        "message": finding.message,
        "line": finding.line,
        "spans": _spans(finding.spans, offset),
        "captures": [_capture(capture, offset) for capture in finding.captures],
        "occurrences": [_occurrence(occurrence, offset) for occurrence in finding.occurrences],
        "exception": finding.exception and _exception(finding.exception),
        **record(finding.record),
        "sameAs": list(finding.same_as),
        "equals": list(finding.equals),
        "ownSource": finding.own_source or None,
        "advice": list(map(_advice, finding.advice)),
    }


def _advice(advice: Advice) -> Answer:
    return {
        "text": advice.text,
        "code": advice.code or None,
        "kind": advice.kind,
        "proof": advice.proof or None,
        "source": advice.source,
    }


def _exceptions(explanation: Explanation) -> list[Answer]:
    """Return the exceptions with their advice; an answer that no advice was added to has none."""
    none = ((),) * len(explanation.exceptions)
    pairs = zip(explanation.exceptions, explanation.exceptions_advice or none, strict=True)
    return [{**_exception(block), "advice": list(map(_advice, advice))} for block, advice in pairs]


def _spans(spans: Iterable[Span], offset: Offset) -> list[Mapping[str, int]]:
    return [{"start": offset(span.start), "end": offset(span.end)} for span in spans]


def _capture(capture: Capture, offset: Offset) -> Answer:
    return {"name": capture.name, "value": capture.value, "spans": _spans(capture.spans, offset)}


def _occurrence(occurrence: Occurrence, offset: Offset) -> Answer:
    return {"line": occurrence.line, "spans": _spans(occurrence.spans, offset), "rank": occurrence.rank}


def _exception(block: ExceptionBlock) -> Answer:
    return {
        "class": block.class_name,
        "message": block.message,
        "relation": block.relation,
        "rank": block.rank,
        "wrapper": block.wrapper,
        "frames": [_frame(frame) for frame in block.frames],
    }


def _frame(frame: Frame) -> Answer:
    return {"file": frame.path, "line": frame.line, "function": frame.function}


def _nearest(nearest: Nearest, offset: Offset) -> Answer:
    return {**record(nearest.record), "parting": _mismatch(nearest.parting, nearest.spans, offset)}


def _mismatch(mismatch: Mismatch, spans: Iterable[Span], offset: Offset) -> Answer:
    return {
        "segment": mismatch.segment,
        "matched": mismatch.matched,
        "expected": mismatch.expected,
        "found": mismatch.found,
        "hint": mismatch.hint,
        "spans": _spans(spans, offset),
    }
