"""Code as the page shows it: highlighted line by line, and a fix as the difference between its two blocks."""

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
from whyraise.web.pages.prose import cut

# What a snippet may take of a page, in bytes of HTML, and what each row takes beside its text.
_MOST_BYTES, MOST_SOURCE_BYTES, _ROW_BYTES = 5000, 12_000, 45
_FORMAT = HtmlFormatter(nowrap=True)


class Row(NamedTuple):
    """A line of code; `sign` is `-` where the fix takes it away, `+` where it puts it in, else empty."""

    sign: str
    html: Markup


def rows(code: str, language: str, most: int = _MOST_BYTES) -> tuple[Row, ...]:
    """Return code line by line, highlighted, in at most so many bytes of HTML."""
    return tuple(Row("", html) for html in _lines(code.rstrip(), language, most))


def difference(fix: str, language: str) -> tuple[Row, ...]:
    """Return a fix as the lines it takes away and puts in; one without two blocks is shown as it is."""
    try:
        before, after = (block.rstrip() for block in split_fix(fix))
    except BadInput:
        return rows(fix, language)
    old, new = _lines(before, language), _lines(after, language)
    found: list[Row] = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Row("", html) for html in new[k:m]]
        else:
            found += [Row("-", html) for html in old[i:j]] + [Row("+", html) for html in new[k:m]]
    return tuple(found)


def _lines(code: str, language: str, most: int = _MOST_BYTES) -> list[Markup]:
    """Return lines as HTML: highlighted, plain where that would take too much of the page, and no more than fits."""
    shown = visible(cut(code, most))
    plain = [escape(line) for line in shown.splitlines()]
    if not language or len(shown) > most // 2:
        return _fitting(plain, most)
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    lines = [Markup(line) for line in highlight(shown, lexer, _FORMAT).splitlines()]  # noqa: S704  # Pygments escapes
    return lines if sum(map(_cost, lines)) <= most else _fitting(plain, most)


def _fitting(lines: list[Markup], most: int) -> list[Markup]:
    count = sum(1 for total in accumulate(map(_cost, lines)) if total <= most)
    left = len(lines) - count
    return [*lines[:count], Markup(f"… and {left:,} more lines")] if left else lines  # noqa: S704  # a number


def _cost(line: Markup) -> int:
    return len(line.encode("utf-8", "replace")) + _ROW_BYTES
