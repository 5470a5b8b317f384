"""The answer as JSON: the one object that every program gets, whichever door it comes through.

Keys are camelCase as in a record. A record's published fields are passed on untouched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from whyraise.lookup.diagnosis import Diagnosis
from whyraise.lookup.explanation import Capture, Explanation, Finding, Nearest, Occurrence
from whyraise.matching.mismatch import Parting
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.frames import Frame
from whyraise.reading.paste import Span
from whyraise.records import verdict
from whyraise.records.record import DataSet, Record, address

Answer = dict[str, object]
# Turns an offset in code points into one in the units that the caller counts in.
Offset = Callable[[int], int]


def code_points(offset: int) -> int:
    """Return an offset as it is: code points are what the core counts."""
    return offset


def utf16_units(text: str) -> Offset:
    """Return a function that turns code points of a text into UTF-16 code units, as browsers count."""
    if text.isascii() or max(text) <= "\uffff":
        return code_points
    wide = [position for position, char in enumerate(text) if char > "\uffff"]
    return lambda offset: offset + bisect_left(wide, offset)


def explanation(answer: Explanation, offset: Offset = code_points) -> Answer:
    """Return an explanation as JSON."""
    return {
        "datasets": [dataset(each) for each in answer.datasets],
        "findings": [_finding(each, offset) for each in answer.findings],
        "exceptions": [_exception(each) for each in answer.exceptions],
        "nearest": [_nearest(each, offset) for each in answer.nearest],
        "wrapper": answer.wrapper,
        "truncated": answer.truncated,
        "growing": list(answer.growing),
    }


def diagnosis(answer: Diagnosis, offset: Offset = code_points) -> Answer:
    """Return a diagnosis as JSON."""
    return {
        "id": answer.record.id,
        "matches": answer.matches,
        "reason": answer.reason,
        "parting": answer.parting and _parting(answer.parting, answer.spans, offset),
    }


def dataset(each: DataSet) -> Answer:
    """Return a data set as JSON."""
    return {"name": each.name, "version": each.version, "records": each.records, "digest": each.digest}


def record(each: Record) -> Answer:
    """Return a record as it was published, with what lies beside it."""
    return {
        "record": each.fields,
        "dataset": each.dataset,
        "origin": each.origin,
        **_beside(each),
        "links": links(each),
    }


def links(each: Record) -> Answer:
    """Return where a record is served, its permanent page, and where its source stands."""
    found: Answer = {"self": f"/v1/records/{each.id}", "page": address(each)}
    if each.fields.get("githubUrl"):
        found["source"] = each.fields["githubUrl"]
    return found


def _beside(each: Record) -> Answer:
    kept = ("versions", "history", "licence", "correction", "proof", "wordings", "site")
    found = {name: each.beside[name] for name in kept if name in each.beside}
    return {**found, "proofSays": verdict.words(each), "proofStale": verdict.stale(each) or None}


def _finding(each: Finding, offset: Offset) -> Answer:
    return {
        "confidence": each.confidence,
        "kind": each.kind,
        "evidence": [{"kind": one.kind, "text": one.text} for one in each.evidence],
        "message": each.message,
        "line": each.line,
        "spans": _spans(each.spans, offset),
        "captures": [_capture(one, offset) for one in each.captures],
        "occurrences": [_occurrence(one, offset) for one in each.occurrences],
        "exception": each.exception and _exception(each.exception),
        **record(each.record),
        "sameAs": list(each.same_as),
        "equals": list(each.equals),
    }


def _spans(spans: Iterable[Span], offset: Offset) -> list[Mapping[str, int]]:
    return [{"start": offset(span.start), "end": offset(span.end)} for span in spans]


def _capture(each: Capture, offset: Offset) -> Answer:
    return {"name": each.name, "value": each.value, "spans": _spans(each.spans, offset)}


def _occurrence(each: Occurrence, offset: Offset) -> Answer:
    return {"line": each.line, "spans": _spans(each.spans, offset), "rank": each.rank}


def _exception(each: ExceptionBlock) -> Answer:
    return {
        "class": each.class_name,
        "message": each.message,
        "relation": each.relation,
        "rank": each.rank,
        "wrapper": each.wrapper,
        "frames": [_frame(frame) for frame in each.frames],
    }


def _frame(each: Frame) -> Answer:
    return {"file": each.path, "line": each.line, "function": each.function}


def _nearest(each: Nearest, offset: Offset) -> Answer:
    return {**record(each.record), "parting": _parting(each.parting, each.spans, offset)}


def _parting(each: Parting, spans: Iterable[Span], offset: Offset) -> Answer:
    return {
        "segment": each.segment,
        "matched": each.matched,
        "expected": each.expected,
        "found": each.found,
        "hint": each.hint,
        "spans": _spans(spans, offset),
    }
