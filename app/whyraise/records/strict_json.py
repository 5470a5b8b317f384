"""Strict JSON (RFC 8259): parse it, and find defects that Python's parser accepts, such as NaN and repeated keys."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping

from whyraise.errors import SourceError

# No record is nested deeper than this; json.dumps and other parsers recurse, so deep nesting would make them fail.
MAX_DEPTH = 100
_SURROGATE = re.compile("[\ud800-\udfff]")


class Repeated(dict[str, object]):
    """A JSON object with the repeated key `key`; parsers disagree about which of its values counts."""

    key: str


def parse_json(data: bytes) -> object:
    """Parse one JSON text in UTF-8.

    An object with a repeated key is returned as `Repeated`, and NaN and infinity as floats; `defects` reports them.
    Raises `SourceError` with a reason if the text is not valid JSON.
    """
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise SourceError(f"is not UTF-8: byte {data[error.start]:#04x} at offset {error.start}") from error
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise SourceError(f"is not valid JSON: {error.msg} at {line}column {error.colno}") from error
    except RecursionError as error:
        raise SourceError("is nested too deeply to be a record") from error
    except ValueError as error:  # an integer with more digits than Python parses
        raise SourceError(f"is not valid JSON: {error}") from error


def defects(value: object) -> Iterator[tuple[str, str]]:
    """Yield the JSON pointer and the reason for everything in a parsed document that is not valid in RFC 8259."""
    pending: list[tuple[str, int, object]] = [("", 0, value)]
    while pending:
        pointer, depth, value = pending.pop()
        if reason := _defect(value, depth):
            yield pointer, reason
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, Mapping):
            pending += [(f"{pointer}/{escape(key)}", depth + 1, value[key]) for key in reversed(value)]
        elif isinstance(value, list):
            pending += [(f"{pointer}/{index}", depth + 1, value[index]) for index in reversed(range(len(value)))]


def compact_json(value: object) -> str:
    """Return a value as JSON text without whitespace, with characters outside ASCII unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def escape(key: str) -> str:
    """Escape a key for use in a JSON pointer (RFC 6901)."""
    key = key.replace("~", "~0").replace("/", "~1")
    return key.encode("utf-8", "backslashreplace").decode() if _has_lone_surrogate(key) else key


def _defect(value: object, depth: int) -> str:
    if depth > MAX_DEPTH:
        return f"is nested more than {MAX_DEPTH} levels deep"
    if isinstance(value, Repeated):
        return f"has the key {value.key[:100]!r} more than once"
    if isinstance(value, Mapping) and any(_has_lone_surrogate(key) for key in value):
        return "has a key with a lone surrogate, which is not a valid character"
    if isinstance(value, float) and not math.isfinite(value):
        return "is a number that JSON cannot represent (NaN, infinite or too large)"
    if isinstance(value, str) and _has_lone_surrogate(value):
        return "has a lone surrogate, which is not a valid character"
    return ""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    repeated, seen = Repeated(result), set[str]()
    for key, _ in pairs:
        if key in seen:
            repeated.key = key
        seen.add(key)
    return repeated


def _has_lone_surrogate(text: str) -> bool:
    return not text.isascii() and _SURROGATE.search(text) is not None
