"""axe-core finds no violations on any page or state, in both colour schemes; and it does find deliberate ones."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support.browser import Visit
from tests.support.seed import SEED

PAGES = {
    "start": "/",
    "an answer": "/?example=traceback",
    "two ranks": "/?example=ranks",
    "two findings": "/?example=chain",
    "nothing known": "/?example=near",
    "only a wrapper": "/?example=wrapper",
    "a record": f"/e/{SEED}",
    "the records": "/records?q=module",
    "no records": "/records?q=nothinghasthis",
    "about": "/about",
    "a problem": "/e/nope",
}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# WCAG 2.2, levels A and AA, and the best practices of axe.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Page) -> list[tuple[str, Any]]:
    found = Axe().run(page, options=RULES).response["violations"]
    return [(violation["id"], [node["html"][:200] for node in violation["nodes"]]) for violation in found]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_any_page(scheme: str, visit: Visit) -> None:
    page = visit(color_scheme=scheme, reduced_motion="reduce", expected=["404"])
    for address in PAGES.values():
        page.goto(address)
        for summary in page.locator("summary").all():
            summary.click()
        assert violations(page) == [], address


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_in_states_that_need_javascript(scheme: str, visit: Visit) -> None:
    page = visit(color_scheme=scheme, reduced_motion="reduce")
    field = page.get_by_label("Paste an error")
    field.fill("token = hf_" + "a" * 30)
    expect(page.locator("#secrets-list li")).to_have_count(1)
    page.set_input_files("#file", {"name": "a.log", "mimeType": "text/plain", "buffer": b"x\n" * 200_000})
    expect(page.locator("#held")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Remove it").click()
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#status")).to_have_text("Paste an error first.")
    field.fill("ValueError: x")
    page.get_by_role("button", name="Copy link with text").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []


def test_axe_does_find_violations(visit: Visit) -> None:
    page = visit()
    page.locator("label[for=text]").evaluate("label => label.remove()")
    page.locator("#text").evaluate("field => field.removeAttribute('placeholder')")
    page.locator("#kept").evaluate("words => words.setAttribute('class', 'top')")
    page.locator("h1").evaluate("heading => { heading.style.color = '#eee' }")
    assert {"label", "color-contrast"} <= {name for name, _ in violations(page)}
