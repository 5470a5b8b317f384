"""Prose of records becomes safe HTML."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from whyraise.web.pages import prose
from whyraise.web.pages.prose import block, line, sanitize

SCRIPT_URLS = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&#115;cript:alert(1)",
    "&#106;avascript&colon;alert(1)",
    "vbscript:x",
    "data:text/html,x",
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("use `a<b>`", "<p>use <code>a&lt;b&gt;</code></p>\n"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("[x](javascript:y)", "<p>[x](javascript:y)</p>\n"),
        ("![x](https://a.b/c)", '<p>!<a href="https://a.b/c" rel="noopener noreferrer nofollow">x</a></p>\n'),
        ("call `__init__` and __init__", "<p>call <code>__init__</code> and __init__</p>\n"),
    ],
)  # fmt: skip
def test_prose_is_markdown_without_html_images_and_emphasis(text: str, html: str) -> None:
    assert block(text) == html


@pytest.mark.parametrize("url", SCRIPT_URLS)
@pytest.mark.parametrize("link", ["[x]({})", "<{}>", "[x][y]\n\n[y]: {}", "![x]({})"])
def test_a_script_url_in_prose_is_not_a_link(link: str, url: str) -> None:
    text = link.format(url)
    assert "href" not in block(text) + line(text)


@pytest.mark.parametrize("url", SCRIPT_URLS)
def test_the_markdown_parser_alone_makes_no_link_of_a_script_url(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "sanitize", Markup)
    for text in (f"[x]({url})", f"<{url}>"):
        assert "<a" not in block(text) + line(text)


@pytest.mark.parametrize("url", [*SCRIPT_URLS, "ftp://a.b/c", "file:///etc/passwd", "mailto:a@b.c"])
def test_the_sanitizer_alone_removes_links_that_are_not_http(url: str) -> None:
    assert "href" not in sanitize(f'<a href="{url}">x</a>')


def test_the_sanitizer_alone_removes_tags_and_attributes_that_prose_does_not_need() -> None:
    html = '<p onclick="x()">a<script>x()</script><img src="https://a.b/c"><a href="https://a.b" style="x">b</a></p>'
    assert sanitize(html) == '<p>a<a href="https://a.b" rel="noopener noreferrer nofollow">b</a></p>'
