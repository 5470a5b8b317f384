"""A real browser before a live service; each visit fails on any console message, CSP report or request elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.conftest import live
from whyraise.settings import Settings

CHROMIUM = shutil.which("chromium") or ""
# The sandbox of Chromium needs namespaces that containers seldom have; the pages are our own.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A live service with the bundled records."""
    with live(Settings(mine="off", cache_dir=str(tmp_path_factory.mktemp("cache")))) as address:
        yield f"http://{address}"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("chromium is not installed: make system")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


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


@pytest.fixture
def visit(chromium: Browser, address: str) -> Iterator[Visit]:
    """Open the page, as often as a test likes; what is expected in the console is emptied by the test itself."""
    open_ones: list[Any] = []

    def visit(**options: Any) -> Page:
        one = visiting(chromium, address, **options)
        open_ones.append(one)
        return one.__enter__()

    yield visit
    for one in open_ones:
        one.__exit__(None, None, None)
