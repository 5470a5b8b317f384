"""Formats findings as SARIF 2.1.0 (OASIS) for code hosts and editors: a record is a rule, a finding is a result."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import quote

from whyraise.lookup.explanation import ranks_of
from whyraise.records import verdict
from whyraise.records.record import Record
from whyraise.reporters import markdown
from whyraise.reporters.annotation import Annotation
from whyraise.reporters.location import Location, frames_of
from whyraise.version import VERSION

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_Sarif = dict[str, object]


def log(annotations: Sequence[Annotation]) -> str:
    """Return a SARIF log with one run."""
    records = {annotation.finding.record.id: annotation.finding.record for annotation in annotations}
    rule_indexes = {record_id: index for index, record_id in enumerate(records)}
    driver = {"name": "Whyraise", "version": VERSION, "rules": list(map(_rule, records.values()))}
    run: _Sarif = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(annotation, rule_indexes[annotation.finding.record.id]) for annotation in annotations],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(record: Record) -> _Sarif:
    meaning = record.fields.get("documentation") or record.error_message
    rule: _Sarif = {
        "id": record.id,
        "shortDescription": {"text": record.error_message or record.slug},
        "fullDescription": {"text": str(meaning) or record.slug},
        "help": {"text": verdict.summary(record), "markdown": markdown.record(record)},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": sorted(set(record.tags)), "origin": record.origin},
    }
    url = record.fields.get("githubUrl")
    return {**rule, "helpUri": url} if isinstance(url, str) and re.fullmatch(r"https?://[!-~]+", url) else rule


def _result(annotation: Annotation, rule_index: int) -> _Sarif:
    finding, location = annotation.finding, annotation.location
    result: _Sarif = {
        "ruleId": finding.record.id,
        "ruleIndex": rule_index,
        "level": annotation.level,
        "message": {"text": f"{annotation.title}\n{annotation.text}".rstrip()},
        "locations": [_location(location)] if location else [],
        "partialFingerprints": {"record/v1": f"{finding.record.id}:{location.path if location else ''}"},
        "properties": {
            "confidence": finding.confidence,
            "kind": finding.kind,
            "captures": {capture.name: capture.value for capture in finding.captures},
            "ranks": ranks_of(finding),
            "proof": verdict.summary(finding.record),
        },
    }
    frames = [frame for frame in reversed(frames_of(finding)) if frame.path]  # SARIF lists the raising frame first
    calls = [
        {"location": {**_location(Location(frame.path, frame.line or 1)), **_function(frame.function)}}
        for frame in frames
    ]
    return {**result, "stacks": [{"frames": calls}]} if calls else result


def _function(name: str) -> _Sarif:
    return {"logicalLocations": [{"name": name, "kind": "function"}]} if name else {}


def _location(location: Location) -> _Sarif:
    region = {"startLine": location.line}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(location.path)}, "region": region}}


def _uri(path: str) -> str:
    """Return a path as a URI. An absolute path gets the scheme `file`; any other path becomes a relative URI."""
    slashed = path.replace("\\", "/")
    if re.match(r"[A-Za-z]:/", slashed):
        return "file:///" + quote(slashed, safe="/:")
    return ("file://" if slashed.startswith("/") else "") + quote(slashed, safe="/")
