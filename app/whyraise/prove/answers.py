"""Reads what a worker answers. Its snippets may write anything in its place, so that nothing is taken for granted."""

from __future__ import annotations

from typing import Any

# The largest answer in bytes: 32 ranks, each with its texts below, as JSON of ASCII.
MAX_ANSWER = 32 << 20
# The most characters of each text, above what rank.py and worker.py write; faulthandler's stack has 100 frames.
_TEXTS = {"step": 200, "raised": 500, "module": 500, "message": 4000, "traceback": 16_000, "stack": 100_000}
_NUMBERS = ("at", "exit")
_MAX_LINES, _MAX_LINE = 12, 4000
_MAX_NAME = 100


def read_results(answer: object, ranks: int) -> list[dict[str, Any]] | None:
    """Return the result of each rank, only known fields of known types, or None if the answer has another form."""
    if not isinstance(answer, list) or len(answer) != ranks:
        return None
    results = [_result(rank) for rank in answer if isinstance(rank, dict)]
    return results if len(results) == ranks else None


def read_versions(answer: object) -> dict[str, str] | None:
    """Return the versions of the libraries by name, or None if the answer has another form."""
    if not isinstance(answer, dict):
        return None
    return {name[:_MAX_NAME]: version[:_MAX_NAME] for name, version in answer.items() if isinstance(version, str)}


def _result(rank: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"step": "", "raised": None, "message": "", "traceback": ""}
    result |= {name: rank[name][:most] for name, most in _TEXTS.items() if isinstance(rank.get(name), str)}
    result |= {name: rank[name] for name in _NUMBERS if isinstance(rank.get(name, ""), int | None)}
    lines = rank.get("lines")
    if isinstance(lines, list):
        result["lines"] = [line[:_MAX_LINE] for line in lines[-_MAX_LINES:] if isinstance(line, str)]
    return result
