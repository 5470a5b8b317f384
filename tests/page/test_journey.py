"""A person pastes an error and leaves with the fix."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.page.conftest import Visit
from tests.test_explain import MESSAGE, SEED, TRACEBACK


def test_a_pasted_error_is_answered_under_the_paste_and_its_fix_is_copied(visit: Visit) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_label("Paste an error").fill(TRACEBACK)
    page.keyboard.press("Control+Enter")
    finding = page.locator(f"[data-record='{SEED}']")
    expect(finding.get_by_role("heading", level=3)).to_have_text(MESSAGE)
    expect(finding.locator("h3 var")).to_have_text(["_DDPBackwardSyncControl", "torch.nn.Linear"])
    expect(page.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    expect(page.locator("#found")).to_be_focused()
    page.get_by_role("button", name="Copy: Fix, corrected").click()
    copied = page.evaluate_handle("navigator.clipboard.readText()").json_value()
    assert copied.splitlines()[:2] == ["last = len(batches) - 1", "for index, batch in enumerate(batches):"]
    assert "_backward_sync_control" not in copied


def test_without_javascript_a_form_does_the_same_and_loses_nothing(visit: Visit) -> None:
    page = visit(java_script_enabled=False)
    page.get_by_label("Paste an error").fill(TRACEBACK)
    page.get_by_role("button", name="Explain").click()
    expect(page.locator(f"[data-record='{SEED}'] h3")).to_have_text(MESSAGE)
    expect(page.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    assert page.url.endswith("/")
