"""Hostile text in pastes and records does not run, does not hide anything and does not break the layout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.acting import fits
from tests.support.browser import Visit, visiting
from tests.support.records import record
from tests.support.seed import MESSAGE, TRACEBACK
from tests.support.serving import live
from whyraise.settings import Settings

HOSTILE = {
    "script": "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">",
    "attribute": "\"' autofocus onfocus=document.title='run' x='\"><svg onload=document.title='run'>",
    "end tags": "</textarea></pre></code></title></style><script>document.title='run'</script><!--",
    "address": "javascript:document.title='run'",
    "markdown": "[x](javascript:document.title='run') ![x](//example.org/x.png) <javascript:document.title='run'>",
    "template": "{{ 7 * 7 }} {% raw %} ${7*7}",
    "direction": "\u202egnp.exe\u2066\u200f\u202d",
    "terminal": "\x1b[31mred\x1b]8;;javascript:x\x07\x1b[2J\x00\x08\x7f",
    "long line": "".join(f"{n:05x}" for n in range(200_000)),
    "long words": "wörd " * 2_000,
    "combining": "a" + "\u0300" * 5_000,
}
FIELDS = (
    "documentation", "triggerScenarios", "commonSituations", "exampleFix", "validationCode", "typeGuard",
    "tryCatchPattern", "sourceCode", "githubUrl", "errorClass", "severity",
)  # fmt: skip


def hostile_records() -> Iterator[dict[str, Any]]:
    """Yield envelopes with hostile text in every field that takes text; the message contains the number of the text."""
    for number, (name, text) in enumerate(HOSTILE.items()):
        fields: dict[str, Any] = dict.fromkeys(FIELDS, text)
        fields |= {field: [text, text] for field in ("solutions", "preventionTips", "tags")}
        fields |= {
            "repo": "o\"'><b>/r'\"><i>",
            "slug": f"s\"'><b>{number}",
            "id": f"a\"'><b>&#{number}",
            "filePath": text,
        }
        known = record(f"hostile number {number}: {{value}} {text[:60]}", **fields)
        proof = {
            "id": known["id"], "verdict": "broken", "ranks": 2, "sandbox": text, "seconds": 1, "date": text,
            "digest": None, "versions": {text[:100]: text},
            "stages": [{"name": text[:9000], "holds": False, "reason": text[:9000], "ranks": []}] * 90,
        }  # fmt: skip
        correction = {"fields": {"exampleFix": text, "typeGuard": text}, "why": {"exampleFix": text}}
        yield {
            "record": known, "datasetVersion": text[:100], "origin": "published", "versions": [text, text],
            "proof": proof, "correction": correction, "wordings": [{"pattern": f"wording {name} (.+?) said"}],
        }  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service whose records are hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    lines = [json.dumps(envelope) + "\n" for envelope in hostile_records()]
    (folder / "records.jsonl").write_text("".join(lines), "utf-8")
    settings = Settings(only=1, sources=str(folder / "records.jsonl"), mine="off", cache_dir=str(folder / "cache"))
    with live(settings) as host:
        yield f"http://{host}"


@pytest.fixture
def page(chromium: Browser, hostile: str) -> Iterator[Page]:
    with visiting(chromium, hostile, viewport={"width": 320, "height": 700}) as page:
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        yield page


def assert_harmless(page: Page, description: str) -> None:
    """Fail if a script ran, if an element is dangerous, or if the page is wider than the window."""
    assert "run" not in page.title().split(), description
    assert fits(page), description
    dangerous = "script:not([src]), svg, main img, iframe, object, style, [onload], [onfocus], [onerror], [style], base"
    assert page.locator(dangerous).count() == 0, description
    links = page.locator("a").evaluate_all("all => all.map(a => a.protocol)")
    assert set(links) <= {"http:", "https:"}, description


def test_all_hostile_records_are_served_and_do_nothing(page: Page) -> None:
    page.goto("/records")
    expect(page.locator(".list li")).to_have_count(len(HOSTILE))
    assert_harmless(page, "the list")
    addresses = page.locator(".list a").evaluate_all("all => all.map(a => a.href)")
    for address in addresses:
        response = page.goto(address)
        assert response is not None
        assert (response.status, len(response.body()) <= 100_000) == (200, True), address
        for summary in page.locator("summary").all():
            summary.click()
        assert_harmless(page, address)
        link = page.locator(".facts a").first
        assert link.get_attribute("href").startswith("/records?")  # type: ignore[union-attr]
    page.goto("/about")
    assert_harmless(page, "about")


def test_the_policy_blocks_injected_content_and_reports_it(visit: Visit) -> None:
    page = visit(expected=["has been blocked", "violates", "127.0.0.1:9"])
    inject_html = """() => { try { document.body.innerHTML = "<b>x</b>"; } catch (error) { return error.name; } }"""
    assert page.evaluate(inject_html) == "TypeError"
    inject_script = """() => {
      const script = document.createElement("script");
      try { script.text = "document.title = 'run'"; } catch (error) { return error.name; }
    }"""
    assert page.evaluate(inject_script) == "TypeError"
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    with page.expect_console_message():
        page.evaluate("() => { document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' })) }")
    assert any("Content Security Policy" in message for message in messages)
    assert page.title() != "run"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_paste_that_matches_a_hostile_record_does_nothing(name: str, page: Page) -> None:
    number = list(HOSTILE).index(name)
    text = f"{HOSTILE[name]}\nValueError: hostile number {number}: {HOSTILE[name][:500]} {HOSTILE[name][:60]}\n"
    for script in (True, False):
        if script:
            page.get_by_label("Paste an error").fill(text)
            page.get_by_role("button", name="Explain").click()
        else:
            page.locator("#ask").evaluate("form => form.submit()")
        expect(page.locator("#found")).to_contain_text("known")
        for summary in page.locator("summary").all():
            summary.click()
        assert_harmless(page, f"{name}, {script}")
        assert (page.locator("pre.lit").text_content() or "").count("\u202e") == 0


def test_a_line_of_1_mb_shows_its_ends_and_the_match(visit: Visit) -> None:
    page = visit(viewport={"width": 320, "height": 700})
    text = "x" * 500_000 + f" TypeError: {MESSAGE} " + "y" * 500_000
    page.evaluate("text => { document.getElementById('text').value = text }", f"{text}\n{TRACEBACK}")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#found")).to_contain_text("known", timeout=20_000)
    expect(page.locator("pre.lit .cut").first).to_contain_text("characters folded")
    assert len(page.locator("pre.lit").text_content() or "") < 10_000
    assert_harmless(page, "a long line")
