"""Reads an explanation back from the JSON of a server, so that it is shown like one made on this machine.

Fields that are needed only to find an error, such as the span of an exception's class, are not sent and are empty here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from whyraise.lookup.explanation import Advice, Capture, Explanation, Finding, Nearest, Occurrence
from whyraise.matching.evidence import Evidence
from whyraise.matching.mismatch import Mismatch
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reading.frames import Frame
from whyraise.reading.paste import Span
from whyraise.records.record import DataSet, Record, from_json
from whyraise.source_paths import site_of

_Json = Mapping[str, Any]
_NOWHERE = Span(0, 0)
# Keys that `json.record` computes itself. They are not copied into `beside`, the data of files beside the record.
_ADDED_KEYS = {"record", "dataset", "origin", "links", "proofSays", "proofStale", "ownSource", "advice"}


def explanation(sent: _Json) -> Explanation:
    """Return an explanation from its JSON; raise `KeyError`, `TypeError` or `ValueError` if it is invalid."""
    return Explanation(
        datasets=tuple(DataSet(**dataset) for dataset in sent["datasets"]),
        findings=tuple(map(_finding, sent["findings"])),
        exceptions=tuple(map(_exception, sent["exceptions"])),
        nearest=tuple(map(_nearest, sent["nearest"])),
        wrapper=sent["wrapper"],
        truncated=sent["truncated"],
        growing=tuple(sent["growing"]),
        muted=sent.get("muted", 0),
        exceptions_advice=tuple(_advice(exception) for exception in sent["exceptions"]),
    )


def _finding(sent: _Json) -> Finding:
    return Finding(
        record=_record(sent),
        confidence=sent["confidence"],
        kind=sent["kind"],
        evidence=tuple(Evidence(**evidence) for evidence in sent["evidence"]),
        message=sent["message"],
        line=sent["line"],
        spans=_spans(sent["spans"]),
        captures=tuple(map(_capture, sent["captures"])),
        occurrences=tuple(map(_occurrence, sent["occurrences"])),
        exception=_exception(sent["exception"]) if sent["exception"] else None,
        same_as=tuple(sent["sameAs"]),
        equals=tuple(sent["equals"]),
        own_source=sent.get("ownSource") or "",
        advice=_advice(sent),
    )


def _advice(sent: _Json) -> tuple[Advice, ...]:
    """Return the advice of a finding or an exception; a server of an earlier version sends none."""
    found = sent.get("advice", ())
    return tuple(
        Advice(one["text"], one["code"] or "", one["kind"], one["proof"] or "", one["source"]) for one in found
    )


def _capture(sent: _Json) -> Capture:
    return Capture(sent["name"], sent["value"], _spans(sent["spans"]))


def _occurrence(sent: _Json) -> Occurrence:
    return Occurrence(sent["line"], _spans(sent["spans"]), sent["rank"])


def _record(sent: _Json) -> Record:
    fields = sent["record"]
    beside = {name: value for name, value in sent.items() if name not in _ADDED_KEYS and value is not None}
    if sent.get("proofStale"):
        beside["stale"] = sent["proofStale"]
    site = site_of(fields["filePath"])
    return from_json(fields, site=site, function="", dataset=sent["dataset"], origin=sent["origin"], beside=beside)


def _exception(sent: _Json) -> ExceptionBlock:
    return ExceptionBlock(
        class_name=sent["class"],
        message=sent["message"],
        header=_NOWHERE,
        span=_NOWHERE,
        frames=tuple(Frame(frame["file"], frame["line"], frame["function"], 0, 0) for frame in sent["frames"]),
        relation=sent["relation"],
        rank=sent["rank"],
        process=None,
        wrapper=sent["wrapper"],
        source_lines=(),
        by_statement=False,
        truncated_start=False,
        truncated_end=False,
    )


def _nearest(sent: _Json) -> Nearest:
    mismatch = _mismatch(sent["parting"])
    return Nearest(_record(sent), mismatch, _spans(sent["parting"]["spans"]))


def _mismatch(sent: _Json) -> Mismatch:
    return Mismatch(
        segment=sent["segment"],
        matched_length=0,
        similar_length=0,
        matched=sent["matched"],
        expected=sent["expected"],
        found=sent["found"],
        hint=sent["hint"],
        span=_NOWHERE,
    )


def _spans(sent: Iterable[_Json]) -> tuple[Span, ...]:
    return tuple(Span(span["start"], span["end"]) for span in sent)
