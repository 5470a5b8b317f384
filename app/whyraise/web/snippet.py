"""Code as the page shows it: highlighted line by line, and a fix as the difference between its two blocks."""

from __future__ import annotations

from difflib import SequenceMatcher

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from whyraise.errors import BadInput
from whyraise.fix import split_fix
from whyraise.markdown import LANGUAGES
from whyraise.shape import NamedTuple
from whyraise.web.prose import cut
from whyraise.web.visible import visible

# Above this a text is shown plain: highlighting makes it several times as long.
_LONGEST, _HIGHLIGHTED = 8000, 4000
_FORMAT = HtmlFormatter(nowrap=True)


class Row(NamedTuple):
    """A line of code; `sign` is `-` where the fix takes it away, `+` where it puts it in, else empty."""

    sign: str
    html: Markup


def language_of(site: str) -> str:
    """Return the language of a file by its name, empty where it is none that is known."""
    return LANGUAGES.get(site[site.rfind(".") :], "")


def rows(code: str, language: str) -> tuple[Row, ...]:
    """Return code line by line, highlighted."""
    return tuple(Row("", html) for html in _lines(code.rstrip(), language))


def difference(fix: str, language: str) -> tuple[Row, ...]:
    """Return a fix as the lines it takes away and puts in; one without two blocks is shown as it is."""
    try:
        before, after = (block.rstrip() for block in split_fix(fix))
    except BadInput:
        return rows(fix, language)
    old, new = before.splitlines(), after.splitlines()
    old_html, new_html = _lines(before, language), _lines(after, language)
    found: list[Row] = []
    for kind, i, j, k, m in SequenceMatcher(None, old[:400], new[:400], autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Row("", html) for html in new_html[k:m]]
        else:
            found += [Row("-", html) for html in old_html[i:j]] + [Row("+", html) for html in new_html[k:m]]
    return tuple(found)


def _lines(code: str, language: str) -> list[Markup]:
    shown = visible(cut(code, _LONGEST))
    if not language or len(shown) > _HIGHLIGHTED:
        return [escape(line) for line in shown.splitlines()]
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    return [Markup(line) for line in highlight(shown, lexer, _FORMAT).splitlines()]  # noqa: S704  # Pygments escapes
