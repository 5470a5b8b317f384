"""Formats findings as JSON Lines, one finding per line, for line-based programs and editors' problem matchers.

The first six keys are always in the same order, so that one regular expression can read them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from whyraise.lookup.explanation import ranks_of
from whyraise.records import verdict
from whyraise.reporters.annotation import Annotation
from whyraise.reporters.location import Location


def lines(annotations: Sequence[Annotation]) -> str:
    """Return one line of JSON per finding."""
    return "".join(f"{json.dumps(_line(annotation), ensure_ascii=False)}\n" for annotation in annotations)


def _line(annotation: Annotation) -> dict[str, object]:
    location, finding = annotation.location or Location("", 1), annotation.finding
    solutions = finding.record.fields.get("solutions")
    return {
        "file": location.path,
        "line": location.line,
        "column": 1,
        "severity": annotation.level,
        "code": finding.record.id,
        "message": annotation.title,
        "confidence": finding.confidence,
        "kind": finding.kind,
        "said": finding.message,
        "captures": {capture.name: capture.value for capture in finding.captures},
        "ranks": ranks_of(finding),
        "solutions": list(solutions) if isinstance(solutions, (list, tuple)) else [],
        "proof": verdict.summary(finding.record),
    }
