"""Shortens an answer step by step, until its text and its data are each within the character limit.

The raising source is removed first, then what triggers the error, then prevention; a fix, a guard, a verdict and a
citation stay. If that is not enough, prose and quotes are truncated, further findings are only listed, and in the last
steps code is truncated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from whyraise.chat.markdown import markdown
from whyraise.safe_text import control_replacements

Json = dict[str, Any]
Detail = Literal["concise", "detailed"]

# Maximum characters of the text, and also of the data, for each level of detail.
LIMITS: Mapping[Detail, int] = {"concise": 6_000, "detailed": 24_000}
_NEXT: Mapping[Detail, str] = {
    "concise": 'This answer was shortened. For more, ask with detail "detailed", or call get_record with the id.',
    "detailed": "This answer was shortened. The whole record is at the address in the citation.",
}
_MARKER = " … [cut]"
# Names of values that are never truncated, since half an address is useless; and names of values that are code.
_NEVER_TRUNCATED, _CODE = ("id", "url", "resource"), ("code",)


def fit(full: Mapping[str, Any], detail: Detail) -> tuple[str, Json]:
    """Return an answer as text and as data, each complete in itself and within the character limit of `detail`."""
    limit = LIMITS[detail]
    answer = sanitize(full, limit)
    for step in _STEPS:
        shortened = step(answer)
        answer = shortened if shortened == answer else {**shortened, "truncated": True}
        answer["next"] = _NEXT[detail] if answer["truncated"] else ""
        text = markdown(answer)
        if len(text) <= limit and len(json.dumps(answer, ensure_ascii=False)) <= limit:
            break
    return text, answer


def sanitize(answer: Mapping[str, Any], limit: int) -> Json:
    """Return an answer without terminal control characters, each text truncated to `limit` + 1 characters.

    One character more than the limit is kept so that the steps still see that the text is too long.
    """
    return dict(_map_texts(answer, lambda name, text: text[: limit + 1].translate(control_replacements())))


def _map_texts(value: Any, change: Callable[[str, str], str], name: str = "") -> Any:
    """Return JSON with `change` applied to each text; it gets the key of the text and the text."""
    if isinstance(value, Mapping):
        return {key: _map_texts(item, change, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_map_texts(item, change, name) for item in value]
    return change(name, value) if isinstance(value, str) else value


def _unchanged(answer: Json) -> Json:
    return dict(answer)


def _remove_fields(names: tuple[str, ...], answer: Json) -> Json:
    """Return an answer whose records have these fields empty."""
    return {key: _empty_fields(value, names) for key, value in answer.items()}


def _empty_fields(value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_empty_fields(item, names) for item in value]
    if isinstance(value, dict):
        return {key: type(item)() if key in names else item for key, item in value.items()}
    return value


def _summarize_last_finding(answer: Json) -> Json:
    """Return an answer whose last finding is moved to `others` as a summary, unless it is the only finding."""
    if len(answer.get("findings", ())) < 2:
        return answer
    *findings, last = answer["findings"]
    summary = {name: last[name] for name in ("title", "errorClass", "verdict", "citation", "confidence")}
    return {**answer, "findings": findings, "others": [summary, *answer["others"]]}


def _truncate_prose(characters: int, items: int, answer: Json) -> Json:
    """Return an answer with prose and quotes of at most `characters` characters, and lists of at most `items` items."""
    return dict(_truncate_lists(_map_texts(answer, partial(_truncated_prose, characters)), items))


def _truncated_prose(limit: int, name: str, text: str) -> str:
    too_long = name not in (*_NEVER_TRUNCATED, *_CODE, "next") and len(text) > limit
    return text[: limit - len(_MARKER)] + _MARKER if too_long else text


def _truncate_lists(value: Any, limit: int, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _truncate_lists(item, limit, key) for key, item in value.items()}
    if isinstance(value, list):
        items = value if name in ("findings", "guards") else value[:limit]
        return [_truncate_lists(item, limit) for item in items]
    return value


def _truncate_code(limit: int, answer: Json) -> Json:
    """Return an answer with code of at most `limit` characters, truncated at the end of a line if possible."""
    return dict(_map_texts(answer, partial(_truncated_code, limit)))


def _truncated_code(limit: int, name: str, text: str) -> str:
    if name not in _CODE or len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit) if "\n" in text[:limit] else limit
    return text[:end] + f"\n{_MARKER.strip()}"


_STEPS: tuple[Callable[[Json], Json], ...] = (
    _unchanged,
    partial(_remove_fields, ("excerpt",)),
    partial(_remove_fields, ("triggers", "situations")),
    partial(_remove_fields, ("prevention",)),
    partial(_truncate_prose, 1_000, 20),
    partial(_truncate_prose, 600, 10),
    _summarize_last_finding,
    _summarize_last_finding,
    partial(_truncate_prose, 400, 6),
    partial(_truncate_prose, 200, 4),
    partial(_truncate_code, 4_000),
    partial(_truncate_code, 1_500),
    partial(_truncate_code, 600),
    partial(_truncate_prose, 100, 2),
    partial(_truncate_code, 200),
    partial(_truncate_prose, 40, 1),
)
