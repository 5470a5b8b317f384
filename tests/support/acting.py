"""What a person does on the page, for tests."""

from __future__ import annotations

from playwright.sync_api import Page, expect

LOG = "step 1 loss 0.25 and all is well\n"
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def ask(page: Page, text: str) -> None:
    page.get_by_label("Paste an error").fill(text)
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#found")).to_be_focused()


def clipboard(page: Page) -> str:
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def fits(page: Page) -> bool:
    """Say whether nothing of a page lies to the right of its window."""
    return bool(page.evaluate("() => document.scrollingElement.scrollWidth <= document.documentElement.clientWidth"))


def dropped(page: Page, name: str, text: str) -> None:
    make = "([name, text]) => { const t = new DataTransfer(); t.items.add(new File([text], name)); return t; }"
    page.dispatch_event("#text", "drop", {"dataTransfer": page.evaluate_handle(make, [name, text])})
