"""The answer as JSON Lines, one finding a line: for programs that read lines, and for editors' problem matchers.

The first six keys always come in the same order, so that one regular expression reads them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from whyraise.lookup.explanation import ranks_of
from whyraise.records import verdict
from whyraise.reporters.annotation import Annotation
from whyraise.reporters.location import Location


def lines(found: Sequence[Annotation]) -> str:
    """Return a line of JSON per finding."""
    return "".join(f"{json.dumps(_line(each), ensure_ascii=False)}\n" for each in found)


def _line(each: Annotation) -> dict[str, object]:
    place, finding = each.location or Location("", 1), each.finding
    solutions = finding.record.fields.get("solutions")
    return {
        "file": place.path,
        "line": place.line,
        "column": 1,
        "severity": each.level,
        "code": finding.record.id,
        "message": each.title,
        "confidence": finding.confidence,
        "kind": finding.kind,
        "said": finding.message,
        "captures": {capture.name: capture.value for capture in finding.captures},
        "ranks": ranks_of(finding),
        "solutions": list(solutions) if isinstance(solutions, (list, tuple)) else [],
        "proof": verdict.words(finding.record),
    }
