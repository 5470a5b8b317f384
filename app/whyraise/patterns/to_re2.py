"""Patterns that are no chain of literals, rewritten for RE2, a regex engine that takes linear time.

The rewriting keeps Python's meaning (`\\d` and `\\w` are Unicode in Python and ASCII in RE2) and lets white space be
what it is in a paste: where the pattern has some, the text needs some between two words; inside a word the text may
break at a wrap; elsewhere it may have any or none. A wrap stands in the text as a vertical tab or a form feed, which
`.` crosses, unlike a line end. What RE2 cannot express is named and left alone.
"""

from __future__ import annotations

import re
from re import _constants as op  # type: ignore[attr-defined]  # its public name, `sre_constants`, is deprecated
from typing import Any

from whyraise.patterns.chain import Expression

# White space, the two marks of a wrap included, and those marks alone (see `regions`).
_SPACE, _WRAP = r"[\t-\r ]", r"[\v\f]"

# Python's classes as RE2 writes them; the tests compare them over every code point.
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

# Longer counted repetitions make RE2's programs large; its own limit is 1000.
_MOST_REPEATS = 200


class _Untranslatable(Exception):
    """RE2 has no such thing."""


def translate(tree: Any, names: dict[int, str]) -> Expression | str:
    """Rewrite a parsed pattern for RE2, or say in words why that cannot be done."""
    if tree.state.flags & ~re.UNICODE:
        return "the pattern sets flags, which change what its letters mean"
    try:
        text = _sequence(tree)
    except _Untranslatable as reason:
        return f"the pattern uses {reason}, which no linear-time engine has"
    return Expression(text, tuple(names.values()), _literals(tree))


def _sequence(nodes: Any) -> str:
    """Rewrite nodes in order, with white space allowed between the characters of literals."""
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
    """Return what white space may stand before a pattern's next character; `before` ends in a space if it has one."""
    spaced, left = before.endswith(" "), before.rstrip()[-1:]
    words = (left.isalnum() or left == "_" or not left) and (after.isalnum() or after in "_(")
    if spaced:
        return _SPACE + ("+" if words else "*")
    if not left or after == "(":
        return ""
    return f"(?:{_SPACE}*{_WRAP}{_SPACE}*)?" if words else _SPACE + "*"


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


def _repetition(kind: Any, least: int, most: int, inner: Any) -> str:
    if least > _MOST_REPEATS or (most is not op.MAXREPEAT and most > _MOST_REPEATS):
        raise _Untranslatable(f"more than {_MOST_REPEATS} repetitions")
    count = f"{{{least},}}" if most is op.MAXREPEAT else f"{{{least},{most}}}"
    return f"(?:{_sequence(inner)}){count}" + ("?" if kind is op.MIN_REPEAT else "")


def _character_class(items: Any) -> str:
    parts: list[str] = []
    for kind, value in items:
        if kind is op.NEGATE:
            parts.append("^")
        elif kind is op.LITERAL:
            parts.append(_escaped(value))
        elif kind is op.RANGE:
            parts.append(f"{_escaped(value[0])}-{_escaped(value[1])}")
        elif value in _CLASSES:
            parts.append(_CLASSES[value])
        elif len(items) == 1 and value in _NEGATED:
            return f"[^{_CLASSES[_NEGATED[value]]}]"
        else:
            raise _Untranslatable("a negated class among others")
    return f"[{''.join(parts)}]"


def _escaped(code: int) -> str:
    return rf"\x{{{code:x}}}"


def _literals(tree: Any) -> tuple[str, ...]:
    """Return the longest run of literal characters that every match contains, or nothing."""
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
