"""JSON as RFC 8259 has it: what Python's reader lets through (NaN, repeated keys, half surrogates) is found here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping

from whyraise.errors import SourceError

# JSON nested deeper than this is no record; json.dumps and every reader downstream would recurse into it.
MOST_LEVELS = 100
_SURROGATE = re.compile("[\ud800-\udfff]")


class Repeated(dict[str, object]):
    """A JSON object in which `key` stands twice, so that nobody can say what it means."""

    key: str


def parse_json(data: bytes) -> object:
    """Parse one JSON text in UTF-8.

    An object in which a key stands twice comes back as `Repeated`, NaN and infinity as such: `defects` names them with
    their place. Raises `SourceError` with a reason where the text is no JSON.
    """
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise SourceError(f"is not UTF-8: byte {data[error.start]:#04x} at offset {error.start}") from error
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise SourceError(f"is no valid JSON: {error.msg} at {line}column {error.colno}") from error
    except RecursionError as error:
        raise SourceError("is nested too deep to be a record") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise SourceError(f"is no valid JSON: {error}") from error


def defects(value: object) -> Iterator[tuple[str, str]]:
    """Yield JSON pointer and reason of everything in a parsed document that is no exchangeable JSON."""
    waiting: list[tuple[str, int, object]] = [("", 0, value)]
    while waiting:
        pointer, level, value = waiting.pop()
        if reason := _defect(value, level):
            yield pointer, reason
        if level > MOST_LEVELS:
            continue
        if isinstance(value, Mapping):
            waiting += [(f"{pointer}/{escape(key)}", level + 1, value[key]) for key in reversed(value)]
        elif isinstance(value, list):
            waiting += [(f"{pointer}/{at}", level + 1, value[at]) for at in reversed(range(len(value)))]


def escape(key: str) -> str:
    """Return a key as one part of a JSON pointer (RFC 6901)."""
    key = key.replace("~", "~0").replace("/", "~1")
    return key.encode("utf-8", "backslashreplace").decode() if _is_broken(key) else key


def _defect(value: object, level: int) -> str:
    if level > MOST_LEVELS:
        return f"is nested more than {MOST_LEVELS} levels deep"
    if isinstance(value, Repeated):
        return f"has the key {value.key[:100]!r} more than once"
    if isinstance(value, Mapping) and any(_is_broken(key) for key in value):
        return "has a key with half of a surrogate pair, which is no character"
    if isinstance(value, float) and not math.isfinite(value):
        return "is a number that JSON does not have (NaN, infinite or too large)"
    if isinstance(value, str) and _is_broken(value):
        return "has half of a surrogate pair, which is no character"
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


def _is_broken(text: str) -> bool:
    return not text.isascii() and _SURROGATE.search(text) is not None
