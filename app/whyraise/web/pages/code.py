"""Formats code as HTML: highlighted line by line, and a fix as the difference between its two blocks."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import accumulate

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple
from whyraise.records.fix import split_fix
from whyraise.safe_text import visible
from whyraise.web.pages.prose import truncate

# Limits in bytes of HTML: of a snippet, of a record's source code, and what the tags of each row add to its text.
_MAX_BYTES, MAX_SOURCE_BYTES, _ROW_BYTES = 5000, 12_000, 45
_HTML = HtmlFormatter(nowrap=True)


class Row(NamedTuple):
    """A line of code; `sign` is `-` if the fix removes it, `+` if the fix adds it, else empty."""

    sign: str
    html: Markup


def rows(code: str, language: str, limit: int = _MAX_BYTES) -> tuple[Row, ...]:
    """Return highlighted code line by line, in at most `limit` bytes of HTML."""
    return tuple(Row("", html) for html in _lines(code.rstrip(), language, limit))


def difference(fix: str, language: str) -> tuple[Row, ...]:
    """Return the lines that a fix removes, adds and keeps; a fix without two blocks is returned like other code."""
    try:
        before, after = (block.rstrip() for block in split_fix(fix))
    except BadInput:
        return rows(fix, language)
    old, new = _lines(before, language), _lines(after, language)
    diff: list[Row] = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            diff += [Row("", html) for html in new[k:m]]
        else:
            diff += [Row("-", html) for html in old[i:j]] + [Row("+", html) for html in new[k:m]]
    return tuple(diff)


def _lines(code: str, language: str, limit: int = _MAX_BYTES) -> list[Markup]:
    """Return lines as HTML within the limit; lines are not highlighted if that would exceed the limit."""
    shown = visible(truncate(code, limit))
    plain_lines = [escape(line) for line in shown.splitlines()]
    if not language or len(shown) > limit // 2:
        return _truncated(plain_lines, limit)
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    lines = [Markup(line) for line in highlight(shown, lexer, _HTML).splitlines()]  # noqa: S704  # Pygments escapes
    return lines if sum(map(_size, lines)) <= limit else _truncated(plain_lines, limit)


def _truncated(lines: list[Markup], limit: int) -> list[Markup]:
    count = sum(1 for total in accumulate(map(_size, lines)) if total <= limit)
    omitted = len(lines) - count
    return [*lines[:count], Markup(f"… and {omitted:,} more lines")] if omitted else lines  # noqa: S704  # a number


def _size(line: Markup) -> int:
    return len(line.encode("utf-8", "replace")) + _ROW_BYTES
