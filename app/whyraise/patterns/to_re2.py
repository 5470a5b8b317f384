"""Translates patterns that are not chains of literals for RE2, a regex engine that needs linear time.

The translation keeps Python's meaning (`\\d` and `\\w` are Unicode in Python and ASCII in RE2) and allows for the
whitespace of a paste. If the pattern has whitespace between two words, the text needs some too; inside a word, the text
may be wrapped; elsewhere the text may have any whitespace or none. A wrap is a vertical tab or a form feed in the text,
which `.` matches, unlike a newline. A pattern that RE2 cannot express is not translated; the reason is returned.
"""

from __future__ import annotations

import re
from re import _constants as op  # type: ignore[attr-defined]  # its public name, `sre_constants`, is deprecated
from typing import Any

from whyraise.patterns.chain import Expression

# Whitespace, including the two marks of a wrap, and those marks alone (see `matching.regions`).
_SPACE, _WRAP = r"[\t-\r ]", r"[\v\f]"

# Python's character classes in RE2's syntax; the tests compare them for every code point.
_CLASSES = {
    op.CATEGORY_DIGIT: r"\p{Nd}",
    op.CATEGORY_WORD: r"\p{L}\p{N}_",
    op.CATEGORY_SPACE: r"\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}",
}
_NEGATED = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
}
_ANCHORS = {op.AT_BEGINNING: r"\A", op.AT_BEGINNING_STRING: r"\A", op.AT_END: r"\s*\z", op.AT_END_STRING: r"\s*\z"}

# More repetitions make RE2's programs large; its own limit is 1000.
_MAX_REPEATS = 200


class _Untranslatable(Exception):
    """RE2 has no equivalent; the message names what the pattern uses."""


def translate(tree: Any, names: dict[int, str]) -> Expression | str:
    """Return a parsed pattern as an RE2 expression, or the reason why that is impossible."""
    if tree.state.flags & ~re.UNICODE:
        return "the pattern sets flags, which change what its letters match"
    try:
        text = _sequence(tree)
    except _Untranslatable as reason:
        return f"the pattern uses {reason}, which linear-time regex engines do not support"
    return Expression(text, tuple(names.values()), _literals(tree))


def _sequence(nodes: Any) -> str:
    """Return nodes in order as an expression that allows whitespace between the characters of literals."""
    parts: list[str] = []
    before = ""
    for kind, value in nodes:
        if kind is op.LITERAL and chr(value).isspace():
            before = before if before.isspace() else before + " "
            continue
        if kind is op.LITERAL:
            parts.append(_between(before, chr(value)) + re.escape(chr(value)))
            before = chr(value)
        else:
            parts.append(_between(before, "(") + _node(kind, value))
            before = ""
    return "".join(parts) + (_SPACE + "*" if before.endswith(" ") else "")


def _between(before: str, after: str) -> str:
    """Return the expression of the whitespace between two characters.

    `before` ends in a space if the pattern has whitespace there.
    """
    has_space, previous = before.endswith(" "), before.rstrip()[-1:]
    is_in_words = (previous.isalnum() or previous == "_" or not previous) and (after.isalnum() or after in "_(")
    if has_space:
        return _SPACE + ("+" if is_in_words else "*")
    if not previous or after == "(":
        return ""
    return f"(?:{_SPACE}*{_WRAP}{_SPACE}*)?" if is_in_words else _SPACE + "*"


def _node(kind: Any, value: Any) -> str:
    if kind is op.ANY:
        return "."
    if kind is op.IN or kind is op.NOT_LITERAL:
        return _character_class([(op.NEGATE, None), (op.LITERAL, value)] if kind is op.NOT_LITERAL else value)
    if kind is op.BRANCH:
        return "(?:" + "|".join(_sequence(branch) for branch in value[1]) + ")"
    if kind is op.SUBPATTERN and not value[1] and not value[2]:
        return ("(?:" if value[0] is None else "(") + _sequence(value[3]) + ")"
    if kind is op.MIN_REPEAT or kind is op.MAX_REPEAT:
        return _repetition(kind, *value)
    if kind is op.AT and value in _ANCHORS:
        return _ANCHORS[value]
    raise _Untranslatable(str(value if kind is op.AT else kind).lower().replace("_", " "))


def _repetition(kind: Any, minimum: int, maximum: int, inner: Any) -> str:
    if minimum > _MAX_REPEATS or (maximum is not op.MAXREPEAT and maximum > _MAX_REPEATS):
        raise _Untranslatable(f"more than {_MAX_REPEATS} repetitions")
    count = f"{{{minimum},}}" if maximum is op.MAXREPEAT else f"{{{minimum},{maximum}}}"
    return f"(?:{_sequence(inner)}){count}" + ("?" if kind is op.MIN_REPEAT else "")


def _character_class(items: Any) -> str:
    parts: list[str] = []
    for kind, value in items:
        if kind is op.NEGATE:
            parts.append("^")
        elif kind is op.LITERAL:
            parts.append(_escape(value))
        elif kind is op.RANGE:
            parts.append(f"{_escape(value[0])}-{_escape(value[1])}")
        elif value in _CLASSES:
            parts.append(_CLASSES[value])
        elif len(items) == 1 and value in _NEGATED:
            return f"[^{_CLASSES[_NEGATED[value]]}]"
        else:
            raise _Untranslatable("a negated class together with others")
    return f"[{''.join(parts)}]"


def _escape(code: int) -> str:
    return rf"\x{{{code:x}}}"


def _literals(tree: Any) -> tuple[str, ...]:
    """Return the longest run of literal characters that every match contains, or an empty tuple if there is none."""
    runs, run = [""], ""
    for kind, value in tree:
        if kind is op.LITERAL:
            run += chr(value)
            continue
        runs, run = [*runs, run], ""
        if kind is op.SUBPATTERN:
            runs += _literals(value[3])
    longest = max([*runs, run], key=len)
    return (longest,) if longest else ()
