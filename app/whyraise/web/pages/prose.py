"""The prose of records as HTML. It is text of others: Markdown without HTML, sanitised once more, never an image."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from whyraise.safe_text import visible

# Emphasis is left out: in this field's prose `__init__` and `*args` are names, not stress.
_READER = MarkdownIt("zero", {"html": False}).enable(
    ["backticks", "escape", "entity", "fence", "list", "link", "autolink", "newline"]
)
_TAGS = {"p", "br", "code", "pre", "ul", "ol", "li", "a"}
# What a field may take of a page, in bytes of HTML: pages of records are to stay below 100 KB whatever they hold.
_LONGEST, _LONGEST_ITEM = 3000, 400


def cut(text: str, most: int = _LONGEST) -> str:
    """Return a text, or as much of it as takes `most` bytes of HTML and how much more there is."""
    part = text[:most]
    while (size := len(escape(part).encode("utf-8", "replace"))) > most:
        part = part[: max(1, len(part) * most // size - 1)]
    return text if len(part) == len(text) else f"{part} … and {len(text) - len(part):,} more characters."


def block(text: object) -> Markup:
    """Return prose as HTML, empty where there is none."""
    return _safe(_READER.render(visible(cut(text)))) if isinstance(text, str) and text.strip() else Markup("")


def line(text: object) -> Markup:
    """Return one sentence of prose as HTML within a line."""
    return _safe(_READER.renderInline(visible(cut(" ".join(str(text).split()), _LONGEST_ITEM))))


def _safe(html: str) -> Markup:
    return Markup(  # noqa: S704  # this is where it is made safe
        nh3.clean(
            html,
            tags=_TAGS,
            attributes={"a": {"href"}},
            url_schemes={"http", "https"},
            link_rel="noopener noreferrer nofollow",
        )
    )
