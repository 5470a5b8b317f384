"""Turns the prose of records into safe HTML: Markdown without HTML and images, and the result is sanitized again."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from whyraise.safe_text import visible

# Emphasis is not enabled: in prose about Python, `__init__` and `*args` are names.
_MARKDOWN = MarkdownIt("zero", {"html": False}).enable(
    ["backticks", "escape", "entity", "fence", "list", "link", "autolink", "newline"]
)
_TAGS = {"p", "br", "code", "pre", "ul", "ol", "li", "a"}
# Limits of a field and of a list item, in bytes of HTML, so that the page of any record stays below 100 KB.
_MAX_BYTES, _MAX_ITEM_BYTES = 3000, 400


def truncate(text: str, limit: int = _MAX_BYTES) -> str:
    """Truncate a text to at most `limit` bytes of HTML, and append the number of characters that were removed."""
    start = text[:limit]
    while (size := len(escape(start).encode("utf-8", "replace"))) > limit:
        start = start[: max(1, len(start) * limit // size - 1)]
    return text if len(start) == len(text) else f"{start} … and {len(text) - len(start):,} more characters."


def block(text: object) -> Markup:
    """Return prose as HTML blocks; empty if the value is not a text or is blank."""
    return sanitize(_MARKDOWN.render(visible(truncate(text)))) if isinstance(text, str) and text.strip() else Markup("")


def line(text: object) -> Markup:
    """Return one sentence of prose as inline HTML."""
    return sanitize(_MARKDOWN.renderInline(visible(truncate(" ".join(str(text).split()), _MAX_ITEM_BYTES))))


def sanitize(html: str) -> Markup:
    """Remove all tags but those of prose, and links that are not HTTP or HTTPS."""
    return Markup(  # noqa: S704  # nh3 sanitizes the HTML
        nh3.clean(
            html,
            tags=_TAGS,
            attributes={"a": {"href"}},
            url_schemes={"http", "https"},
            link_rel="noopener noreferrer nofollow",
        )
    )
