"""A real browser and a live service. A visit fails on console messages and on requests to other hosts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.browser import ARGUMENTS, CHROMIUM, Visit, visiting
from tests.support.serving import live
from whyraise.settings import Settings


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


@pytest.fixture
def visit(chromium: Browser, address: str) -> Iterator[Visit]:
    """Open the page, as often as a test needs; the option `expected` lists parts of allowed console messages."""
    visits: list[Any] = []

    def visit(**options: Any) -> Page:
        context = visiting(chromium, address, **options)
        visits.append(context)
        return context.__enter__()

    yield visit
    for context in visits:
        context.__exit__(None, None, None)
