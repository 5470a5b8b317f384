"""Short answers that fit: what is left out first, until text and data are each within their characters.

The raising source goes first, then what triggers the error, then prevention; a fix, a guard, a verdict and a citation
stay. Where that does not do, prose and quotes are cut, further findings are only named, and at the very end code is
cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from whyraise.chat.markdown import markdown
from whyraise.safe_text import steering

Json = dict[str, Any]
Detail = Literal["concise", "detailed"]

# Characters of each channel, by the detail that was asked for.
MOST: Mapping[Detail, int] = {"concise": 6_000, "detailed": 24_000}
_NEXT: Mapping[Detail, str] = {
    "concise": 'Something was left out or cut here. For more ask with detail "detailed", or get_record with the id.',
    "detailed": "Something was left out or cut here. The whole record is served under the address that is cited.",
}
_CUT = " … [cut]"
# Names of what is never cut, since half an address is none; and of what is code.
_WHOLE, _CODE = ("id", "url", "resource"), ("code",)


def fitted(full: Mapping[str, Any], detail: Detail) -> tuple[str, Json]:
    """Return an answer as text and as data, each complete in itself and within the characters of that detail."""
    most = MOST[detail]
    kept = readable(full, most)
    for step in _STEPS:
        left = step(kept)
        kept = left if left == kept else {**left, "truncated": True}
        kept["next"] = _NEXT[detail] if kept["truncated"] else ""
        text = markdown(kept)
        if len(text) <= most and len(json.dumps(kept, ensure_ascii=False)) <= most:
            break
    return text, kept


def _changed(value: Any, change: Callable[[str, str], str], name: str = "") -> Any:
    """Return JSON with each of its texts changed, given the name that it stands under."""
    if isinstance(value, Mapping):
        return {key: _changed(each, change, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_changed(each, change, name) for each in value]
    return change(name, value) if isinstance(value, str) else value


def readable(answer: Mapping[str, Any], most: int) -> Json:
    """Return an answer whose texts do not steer a terminal and are little longer than `most`; steps cut the rest."""
    return dict(_changed(answer, lambda name, text: text[: most + 1].translate(steering())))


def _whole(kept: Json) -> Json:
    return dict(kept)


def _without(names: tuple[str, ...], kept: Json) -> Json:
    """Return an answer in which the records lack some parts."""
    return {name: _bare(each, names) for name, each in kept.items()}


def _bare(value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_bare(each, names) for each in value]
    if isinstance(value, dict):
        return {name: type(each)() if name in names else each for name, each in value.items()}
    return value


def _fewer(kept: Json) -> Json:
    """Return an answer whose last finding, if it is not the only one, is named and no longer told."""
    if len(kept.get("findings", ())) < 2:
        return kept
    *told, last = kept["findings"]
    named = {name: last[name] for name in ("title", "errorClass", "verdict", "citation", "confidence")}
    return {**kept, "findings": told, "others": [named, *kept["others"]]}


def _cut(longest: int, items: int, kept: Json) -> Json:
    """Return an answer with prose and quotes of so many characters, and lists of so many items, at the most."""
    return dict(_shortened(_changed(kept, partial(_prose, longest)), items))


def _prose(longest: int, name: str, text: str) -> str:
    cut = name not in (*_WHOLE, *_CODE, "next") and len(text) > longest
    return text[: longest - len(_CUT)] + _CUT if cut else text


def _shortened(value: Any, items: int, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _shortened(each, items, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_shortened(each, items) for each in (value if name in ("findings", "guards") else value[:items])]
    return value


def _cut_code(longest: int, kept: Json) -> Json:
    """Return an answer with code of so many characters at the most, cut at the end of a line where there is one."""
    return dict(_changed(kept, partial(_code, longest)))


def _code(longest: int, name: str, text: str) -> str:
    if name not in _CODE or len(text) <= longest:
        return text
    return text[: text.rfind("\n", 0, longest) if "\n" in text[:longest] else longest] + f"\n{_CUT.strip()}"


_STEPS: tuple[Callable[[Json], Json], ...] = (
    _whole,
    partial(_without, ("excerpt",)),
    partial(_without, ("triggers", "situations")),
    partial(_without, ("prevention",)),
    partial(_cut, 1_000, 20),
    partial(_cut, 600, 10),
    _fewer,
    _fewer,
    partial(_cut, 400, 6),
    partial(_cut, 200, 4),
    partial(_cut_code, 4_000),
    partial(_cut_code, 1_500),
    partial(_cut_code, 600),
    partial(_cut, 100, 2),
    partial(_cut_code, 200),
    partial(_cut, 40, 1),
)
