"""A real browser before a live service; each visit fails on any console message, CSP report or request elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = shutil.which("chromium") or ""


# The sandbox of Chromium needs namespaces that containers seldom have; the pages are our own.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


Visit = Callable[..., Any]


@contextmanager
def visiting(browser: Browser, address: str, expected: Sequence[str] = (), **options: Any) -> Iterator[Page]:
    """Open a page in a context of its own, and fail if it said anything, broke its policy or asked another host.

    `expected` are parts of what it may say: a browser tells of each answer that is no success.
    """
    context = browser.new_context(base_url=address, **options)
    context.set_default_timeout(10_000)
    page = context.new_page()
    said = watched(context, page, address)
    page.goto("/")
    yield page
    context.close()
    assert [words for words in said if not any(part in words for part in expected)] == []


def watched(context: BrowserContext, page: Page, address: str) -> list[str]:
    """Return a list that grows with each console message, error and request to another host of a page."""
    said: list[str] = []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    context.on(
        "request",
        lambda request: None if request.url.startswith((address, "blob:")) else said.append(f"request: {request.url}"),
    )
    return said
