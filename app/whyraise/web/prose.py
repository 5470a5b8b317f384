"""The prose of records as HTML. It is text of others: Markdown without HTML, sanitised once more, never an image."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from whyraise.web.visible import visible

# Emphasis is left out: in this field's prose `__init__` and `*args` are names, not stress.
_READER = MarkdownIt("zero", {"html": False}).enable(
    ["backticks", "escape", "entity", "fence", "list", "link", "autolink", "newline"]
)
_TAGS = {"p", "br", "code", "pre", "ul", "ol", "li", "a"}
_LONGEST = 6000


def cut(text: str, most: int = _LONGEST) -> str:
    """Return a text, or its beginning and how much more there is."""
    return text if len(text) <= most else f"{text[:most]} … and {len(text) - most:,} more characters."


def block(text: object) -> Markup:
    """Return prose as HTML, empty where there is none."""
    return _safe(_READER.render(visible(cut(text)))) if isinstance(text, str) and text.strip() else Markup("")


def line(text: object) -> Markup:
    """Return one sentence of prose as HTML within a line."""
    return _safe(_READER.renderInline(visible(cut(" ".join(str(text).split())))))


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
