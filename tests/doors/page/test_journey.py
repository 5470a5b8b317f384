"""A user pastes an error, reads the answer and copies the fix: also with a file, a keyboard, or without JavaScript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.support.acting import CLIPBOARD, LOG, ask, clipboard, dropped, fits
from tests.support.browser import Visit, visiting
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from tests.support.serving import live
from whyraise.settings import Settings


def test_a_pasted_error_is_answered_below_the_paste_and_its_fix_is_copied(visit: Visit) -> None:
    page = visit(**CLIPBOARD)
    page.get_by_label("Paste an error").fill(TRACEBACK)
    page.keyboard.press("Control+Enter")
    finding = page.locator(f"[data-record='{SEED}']")
    expect(finding.get_by_role("heading", level=3)).to_have_text(MESSAGE)
    expect(finding.locator("h3 var")).to_have_text(["_DDPBackwardSyncControl", "torch.nn.Linear"])
    expect(page.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    expect(page.locator("#found")).to_be_focused()
    expect(finding.locator("[id='f1-exampleFix'] del")).to_have_count(2)
    page.get_by_role("button", name="Copy: Fix, corrected").click()
    expect(page.get_by_role("button", name="Copy: Fix, corrected")).to_have_text("Copied")
    assert clipboard(page).splitlines() == [
        "last = len(batches) - 1",
        "for index, batch in enumerate(batches):",
        "    with fabric.no_backward_sync(model, enabled=index < last):  # the module that fabric.setup returned",
        "        fabric.backward(model(batch).sum())",
    ]
    assert page.url.endswith("/")


def test_the_proof_shows_the_failed_stages_and_failed_code_is_struck_out(visit: Visit) -> None:
    page = visit()
    ask(page, TRACEBACK)
    proof = page.locator("details.proof")
    expect(proof.locator(".badge")).to_have_text("corrected")
    proof.locator("summary").click()
    expect(proof.get_by_role("row").filter(has_text="typeGuard.good_setup").first).to_contain_text("synchronised while")
    expect(proof.get_by_role("row")).to_have_count(19)
    struck_out = page.locator("s.row").filter(has_text="is_first_batch")
    assert "line-through" in struck_out.evaluate("row => getComputedStyle(row).textDecorationLine")


def test_the_whole_answer_is_copied_as_the_markdown_of_the_api(visit: Visit) -> None:
    page = visit(**CLIPBOARD)
    ask(page, TRACEBACK)
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    expected = page.request.post("/v1/explain", data={"text": TRACEBACK}, headers={"Accept": "text/markdown"}).text()
    assert clipboard(page) == expected


def test_the_matched_text_is_highlighted_and_links_to_the_finding_and_back(visit: Visit) -> None:
    page = visit()
    ask(page, TRACEBACK)
    marked = page.locator("pre.lit mark")
    assert "".join(marked.all_text_contents()) == MESSAGE
    page.get_by_role("link", name="line 7 of your paste").click()
    expect(page.locator("#m1")).to_have_class("match f1 here")
    page.locator("#m1 a").click()
    expect(page.locator("#f1")).to_be_focused()
    assert page.url.endswith("/")


def test_the_paste_is_scrolled_to_the_first_match(visit: Visit) -> None:
    page = visit(viewport={"width": 1440, "height": 600})
    ask(page, LOG * 100 + TRACEBACK + LOG * 100)
    is_visible = """lit => {
      const [mark, box] = [lit.querySelector("#m1").getBoundingClientRect(), lit.getBoundingClientRect()];
      return box.top <= mark.top && mark.bottom <= box.bottom;
    }"""
    assert page.locator("pre.lit").evaluate(is_visible)


def test_n_and_p_go_from_match_to_match(visit: Visit) -> None:
    page = visit()
    page.goto("/?example=chain")
    page.locator("#found").focus()
    here = page.locator("mark.here")
    for key, anchor in (("n", "m2"), ("n", "m1"), ("n", "m2"), ("p", "m1")):
        page.keyboard.press(key)
        expect(here).to_have_id(anchor)


def test_exceptions_are_labelled_with_their_relation_and_noise_is_dimmed(visit: Visit) -> None:
    page = visit()
    page.goto("/?example=chain")
    labels = page.locator("pre.lit .label")
    expect(labels).to_have_text(["ValueError, raised before, while handled", "AttributeError, raised"])
    page.goto("/?example=ranks")
    expect(page.locator("pre.lit .noise").nth(1)).to_contain_text("[rank")
    occurrences = page.locator(".occurrences")
    expect(occurrences).to_have_text("Printed 2 times on ranks 0, 1: rank 0, line 25, rank 1, line 26.")
    occurrences.get_by_role("link").last.click()
    expect(page.locator("#m1-2")).to_have_class("match f1 here")


def test_without_javascript_a_form_does_the_same_and_loses_nothing(visit: Visit) -> None:
    page = visit(java_script_enabled=False)
    page.get_by_label("Paste an error").fill(TRACEBACK)
    page.get_by_role("button", name="Explain").click()
    expect(page.locator(f"[data-record='{SEED}'] h3")).to_have_text(MESSAGE)
    expect(page.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    assert page.url.endswith("/")
    page.get_by_role("link", name="line 7 of your paste").click()
    assert page.url.endswith("/#m1")
    page.locator("details.proof summary").click()
    expect(page.locator("details.proof table")).to_be_visible()


def test_a_dropped_file_is_read_and_sent_only_on_explain(visit: Visit) -> None:
    page = visit()
    dropped(page, "error.log", TRACEBACK)
    expect(page.locator("#status")).to_have_text("error.log was read. Nothing was sent yet.")
    expect(page.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    expect(page.locator("#found")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(f"[data-record='{SEED}']")).to_be_visible()


def test_a_utf_16_file_is_read_and_a_binary_file_is_refused(visit: Visit) -> None:
    page = visit()
    utf16 = b"\xff\xfe" + TRACEBACK.encode("utf-16le")
    page.set_input_files("#file", {"name": "a.log", "mimeType": "text/plain", "buffer": utf16})
    expect(page.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    page.set_input_files("#file", {"name": "a.bin", "mimeType": "text/plain", "buffer": b"\0" * 9})
    expect(page.locator("#status")).to_have_text("a.bin is not a text file.")


def test_a_log_of_5_mb_is_not_put_into_the_field_but_answered_and_folded_around_the_match(visit: Visit) -> None:
    page = visit()
    lines = 5_000_000 // len(LOG)
    text = LOG * lines + TRACEBACK + LOG * 10
    dropped(page, "day.log", text)
    expect(page.locator("#held-words")).to_have_text(
        "day.log, 5.0 MB: all of it will be sent. It is too large to show in the field."
    )
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("link", name=f"line {lines + 7:,} of your paste")).to_be_visible(timeout=30_000)
    expect(page.locator("pre.lit .fold").first).to_have_text(f"{lines:,} lines folded")
    assert page.locator("pre.lit .line").count() < 40
    expect(page.locator("#held")).to_be_visible()
    assert "".join(page.locator("pre.lit mark").all_text_contents()) == MESSAGE


def test_a_large_pasted_text_is_not_put_into_the_field_either_and_can_be_removed(visit: Visit) -> None:
    page = visit()
    paste = """text => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      document.getElementById("text").dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
    }"""
    page.evaluate(paste, LOG * 10_000 + TRACEBACK)
    expect(page.locator("#held-words")).to_contain_text("The pasted text, 331 KB")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator(f"[data-record='{SEED}']")).to_be_visible()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_label("Paste an error")).to_be_focused()
    expect(page.locator("#held")).to_be_hidden()


def test_only_start_and_end_of_a_file_above_the_limit_are_sent_and_the_page_says_so(
    chromium: Browser, tmp_path: Path
) -> None:
    settings = Settings(mine="off", cache_dir=str(tmp_path), max_body_bytes=400_000)
    with live(settings) as host, visiting(chromium, f"http://{host}") as page:
        dropped(page, "week.log", LOG * 30_000 + TRACEBACK)
        expect(page.locator("#held-words")).to_contain_text(
            "only its start and its end will be sent, without 591 KB between them"
        )
        page.get_by_role("button", name="Explain").click()
        expect(page.locator(f"[data-record='{SEED}']")).to_be_visible()


def test_the_whole_journey_needs_no_mouse(visit: Visit) -> None:
    page = visit(**CLIPBOARD)
    expect(page.get_by_label("Paste an error")).to_be_focused()
    page.keyboard.insert_text(TRACEBACK)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#found")).to_be_focused()
    names = []
    for _ in range(12):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate(
                "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
            )
        )
        if names[-1] == "Copy: Fix, corrected":
            break
    page.keyboard.press("Enter")
    assert clipboard(page).startswith("last = len(batches)"), names
    page.keyboard.press("/")
    expect(page.get_by_label("Paste an error")).to_be_focused()


def test_the_first_tab_stop_skips_to_the_content(visit: Visit) -> None:
    page = visit()
    page.goto("/about")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_page_is_dark_if_the_user_prefers_it(visit: Visit) -> None:
    background = "() => getComputedStyle(document.body).backgroundColor"
    assert visit(color_scheme="light").evaluate(background) == "rgb(251, 250, 248)"
    assert visit(color_scheme="dark").evaluate(background) == "rgb(23, 22, 21)"


@pytest.mark.parametrize("width", [320, 720, 2560])
def test_every_page_fits_its_window(width: int, visit: Visit) -> None:
    page = visit(viewport={"width": width, "height": 700}, expected=["404"])
    for address in ("/", "/?example=traceback", "/?example=near", f"/e/{SEED}", "/records", "/about", "/e/nope"):
        page.goto(address)
        for summary in page.locator("summary").all():
            summary.click()
        assert fits(page), address


def test_the_page_still_fits_at_twice_the_font_size(visit: Visit) -> None:
    page = visit(viewport={"width": 640, "height": 500})  # 1280 by 1000 at 200 %
    page.goto("/?example=traceback")
    page.evaluate("() => { document.documentElement.style.fontSize = '200%' }")
    assert fits(page)


def test_nothing_moves_while_a_page_or_an_answer_loads(visit: Visit) -> None:
    page = visit()
    observe_shifts = """() => new PerformanceObserver((list) => {
      window.moved = (window.moved ?? 0) + list.getEntries().reduce((sum, entry) => sum + entry.value, 0);
    }).observe({ type: "layout-shift", buffered: true })"""
    for address in ("/", "/?example=ranks", f"/e/{SEED}", "/records"):
        page.goto(address)
        page.evaluate(observe_shifts)
        assert page.evaluate("() => new Promise((done) => setTimeout(() => done(window.moved ?? 0), 100))") == 0, (
            address
        )
    page.goto("/")
    page.evaluate(observe_shifts)
    before = page.locator("#ask").bounding_box()
    ask(page, TRACEBACK)
    page.locator("h1").scroll_into_view_if_needed()
    after = page.locator("#ask").bounding_box()
    assert (before or {}).get("height") == (after or {}).get("height")


def test_motion_is_reduced_if_the_user_prefers_it(visit: Visit) -> None:
    scrolling = "() => getComputedStyle(document.documentElement).scrollBehavior"
    assert visit(reduced_motion="reduce").evaluate(scrolling) == "auto"
    assert visit(reduced_motion="no-preference").evaluate(scrolling) == "smooth"


def test_a_record_is_printed_without_navigation_and_buttons(visit: Visit) -> None:
    page = visit()
    page.goto(f"/e/{SEED}")
    page.emulate_media(media="print")
    expect(page.locator("header.top")).to_be_hidden()
    expect(page.get_by_role("button", name="Copy: Fixed example")).to_be_hidden()
    expect(page.get_by_role("heading", name="Fixed example")).to_be_visible()


def test_an_unknown_error_shows_its_exceptions_and_the_first_difference_from_the_nearest_record(visit: Visit) -> None:
    page = visit()
    page.goto("/?example=near")
    expect(page.locator("#found")).to_have_text("Nothing known")
    expect(page.locator(".read li")).to_contain_text("TypeError: Blocking backward sync is possible only where")
    near = page.locator("#near1")
    expect(near.get_by_role("link").first).to_contain_text("Blocking backward sync is only possible if")
    expect(near.locator("td mark").first).to_contain_text("only possible if")
    near.get_by_role("link", name="your paste").click()
    expect(page.locator("#p1")).to_have_class("parting here")


def test_a_text_without_an_exception_gets_advice_on_what_to_paste(visit: Visit) -> None:
    page = visit()
    ask(page, "it does not work")
    expect(page.locator("#answer")).to_contain_text("It contains no exception. Paste the traceback")


def test_a_wrapper_gets_advice_on_what_to_paste_instead(visit: Visit) -> None:
    page = visit()
    page.goto("/?example=wrapper")
    expect(page.locator("#found")).to_have_text("Only a wrapper")
    expect(page.locator(".advice")).to_contain_text("Paste what that rank printed")
    expect(page.locator(".read li")).to_contain_text("ChildFailedError: train.py FAILED Failures:")


def test_an_error_of_the_service_is_shown_and_the_paste_stays(visit: Visit) -> None:
    page = visit(expected=["503", "ERR_FAILED"])

    def busy(route: Route) -> None:
        body = json.dumps({"detail": "Too many large pastes are waiting."})
        route.fulfill(status=503, content_type="application/problem+json", body=body)

    page.route("**/answer", busy)
    page.get_by_label("Paste an error").fill(TRACEBACK)
    page.get_by_role("button", name="Explain").click()
    status = page.locator("#status")
    expect(status).to_have_text("Too many large pastes are waiting. Your paste is still here; try again.")
    page.unroute("**/answer")
    page.route("**/answer", lambda route: route.abort())
    page.get_by_role("button", name="Explain").click()
    expect(status).to_have_text("The service could not be reached. Your paste is still here; try again.")
    expect(page.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    page.unroute("**/answer")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator(f"[data-record='{SEED}']")).to_be_visible()


def test_a_slow_answer_is_announced_and_only_the_last_request_is_shown(visit: Visit) -> None:
    page = visit()
    page.clock.install()
    waiting: list[Route] = []
    page.route("**/answer", lambda route: waiting.append(route))
    field, status = page.get_by_label("Paste an error"), page.locator("#status")
    field.fill("ZeroDivisionError: division by zero")
    page.get_by_role("button", name="Explain").click()
    expect(status).to_have_text("Reading your paste.")
    expect(page.locator("#answer")).to_have_attribute("aria-busy", "true")
    page.clock.fast_forward(3500)
    expect(status).to_have_text("Still waiting for the answer. Your paste is kept here.")
    page.unroute("**/answer")
    field.fill(TRACEBACK)
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("article.finding")).to_have_count(1)
    expect(page.locator(f"[data-record='{SEED}']")).to_be_visible()
    expect(page.locator("#answer")).not_to_have_attribute("aria-busy", "true")
