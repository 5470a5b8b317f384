"""The answer as SARIF 2.1.0 (OASIS), for code hosts and editors: each record is a rule, each finding a result."""

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


def log(found: Sequence[Annotation]) -> str:
    """Return a SARIF log of one run."""
    records = {each.finding.record.id: each.finding.record for each in found}
    places = {record_id: number for number, record_id in enumerate(records)}
    driver = {"name": "Whyraise", "version": VERSION, "rules": list(map(_rule, records.values()))}
    run: _Sarif = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, places[each.finding.record.id]) for each in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(record: Record) -> _Sarif:
    means = record.fields.get("documentation") or record.error_message
    rule: _Sarif = {
        "id": record.id,
        "shortDescription": {"text": record.error_message or record.slug},
        "fullDescription": {"text": str(means) or record.slug},
        "help": {"text": verdict.words(record), "markdown": markdown.record(record)},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": sorted(set(record.tags)), "origin": record.origin},
    }
    url = record.fields.get("githubUrl")
    return {**rule, "helpUri": url} if isinstance(url, str) and re.fullmatch(r"https?://[!-~]+", url) else rule


def _result(each: Annotation, rule: int) -> _Sarif:
    finding = each.finding
    result: _Sarif = {
        "ruleId": finding.record.id,
        "ruleIndex": rule,
        "level": each.level,
        "message": {"text": f"{each.title}\n{each.text}".rstrip()},
        "locations": [_location(each.location)] if each.location else [],
        "partialFingerprints": {"record/v1": f"{finding.record.id}:{each.location.path if each.location else ''}"},
        "properties": {
            "confidence": finding.confidence,
            "kind": finding.kind,
            "captures": {capture.name: capture.value for capture in finding.captures},
            "ranks": ranks_of(finding),
            "proof": verdict.words(finding.record),
        },
    }
    frames = [frame for frame in reversed(frames_of(finding)) if frame.path]  # SARIF has the raising frame first
    calls = [
        {"location": {**_location(Location(frame.path, frame.line or 1)), **_function(frame.function)}}
        for frame in frames
    ]
    return {**result, "stacks": [{"frames": calls}]} if calls else result


def _function(name: str) -> _Sarif:
    return {"logicalLocations": [{"name": name, "kind": "function"}]} if name else {}


def _location(place: Location) -> _Sarif:
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place.path)}, "region": {"startLine": place.line}}}


def _uri(path: str) -> str:
    """Return a path as a URI: an absolute one with its scheme, any other relative to whatever the reader has open."""
    plain = path.replace("\\", "/")
    if re.match(r"[A-Za-z]:/", plain):
        return "file:///" + quote(plain, safe="/:")
    return ("file://" if plain.startswith("/") else "") + quote(plain, safe="/")
