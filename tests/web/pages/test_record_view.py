"""The page of a record links only to web addresses."""

from __future__ import annotations

import pytest

from whyraise.web.pages.record_view import web_address


@pytest.mark.parametrize("url", ["https://github.com/a/b/blob/main/c.py#L3", "http://localhost:8000/x?y=z&w"])
def test_a_web_address_can_be_a_link(url: str) -> None:
    assert web_address(url) == url


@pytest.mark.parametrize(
    "value",
    [
        "javascript:alert(1)",
        "JavaScript://a.b/%0aalert(1)",
        "java\nscript:alert(1)",
        "javascript:alert(1)//https://a.b",
        "https://a.b\njavascript:alert(1)",
        " https://a.b",
        "vbscript:x",
        "data:text/html,x",
        "ftp://a.b/c",
        "//a.b/c",
        "/e/x",
        'https://a.b/"onclick=x',
        "https://a.b/<script>",
        "https://",
        "https://" + "a" * 2001,
        "",
        None,
        3,
    ],
)
def test_anything_else_is_not_a_link(value: object) -> None:
    assert web_address(value) == ""
