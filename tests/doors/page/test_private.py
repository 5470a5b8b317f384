"""A paste leaves the browser only in one request, and reports for publication contain no secrets."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.acting import CLIPBOARD, ask, clipboard
from tests.support.browser import Visit
from tests.support.seed import TRACEBACK
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import open_file
from whyraise.lookup.explain import explain


def test_a_secret_is_reported_before_anything_is_sent_and_can_be_replaced(visit: Visit) -> None:
    page = visit()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.get_by_label("Paste an error").fill(f"login\nexport TOKEN=hf_{'a' * 34}\n{TRACEBACK}")
    expect(page.locator("#secrets-list li")).to_have_text(["Hugging Face token in line 2: hf_a…"])
    page.get_by_role("button", name="Replace with [redacted]").click()
    expect(page.get_by_label("Paste an error")).to_have_value(f"login\nexport TOKEN=[redacted]\n{TRACEBACK}")
    expect(page.locator("#secrets")).to_be_hidden()
    assert sent == []


def test_a_link_with_the_text_is_created_only_on_click_and_has_it_in_the_fragment(visit: Visit) -> None:
    page = visit(**CLIPBOARD)
    page.get_by_label("Paste an error").fill(TRACEBACK)
    page.get_by_role("button", name="Copy link with text").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("#share-preview")).to_have_text(TRACEBACK)
    dialog.get_by_role("button", name="Copy the link").click()
    expect(dialog).to_be_hidden()
    link = clipboard(page)
    requests: list[str] = []
    other = page.context.new_page()
    other.on("request", lambda request: requests.append(request.url))
    other.goto(link)
    expect(other.get_by_label("Paste an error")).to_have_value(TRACEBACK)
    expect(other.locator("#status")).to_contain_text("Nothing was sent yet")
    assert "#" in link
    assert "#" not in other.url
    assert [url for url in requests if link.partition("#t=")[2] in url.partition("#")[0]] == []


def test_a_paste_is_in_no_url_and_in_no_storage(visit: Visit) -> None:
    page = visit()
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    ask(page, TRACEBACK)
    assert [url for url in urls if "Blocking" in url or "?" in url.partition("/static")[0]] == []
    assert page.context.cookies() == []
    assert page.evaluate("() => localStorage.length + sessionStorage.length") == 0


@pytest.fixture
def draft(visit: Visit, tmp_path: Path) -> Path:
    page = visit()
    text = "".join(f"line {n}\n" for n in range(90)) + (
        "Traceback (most recent call last):\n"
        '  File "/home/alice/app/main.py", line 3, in <module>\n'
        "    connect(password='hunter2hunter2')\n"
        '  File "/home/alice/venv/lib/python3.11/site-packages/thing/client.py", line 40, in connect\n'
        "    raise thing.errors.ConnectError(f'cannot reach [{host}] (again)')\n"
        "thing.errors.ConnectError: cannot reach [db-7] (again)\n"
    )
    ask(page, text)
    page.get_by_text("Something is missing").click()
    report = page.locator("#missing").text_content() or ""
    assert "ConnectError: cannot reach [db-7] (again)" in report
    assert not [word for word in ("alice", "hunter2", "line 10\n") if word in report]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download a draft record").last.click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def test_a_draft_record_is_valid_and_matches_its_own_error(draft: Path) -> None:
    [log] = draft.glob("records/*/*/*/match/pasted.log")
    text = log.read_text("utf-8")
    assert not [word for word in ("alice", "hunter2") if word in text]
    built = build([draft / "records"], draft / "records.db")
    assert built.faults == ()
    [finding] = explain(text.replace(">>> ", ""), open_file(str(draft / "records.db"), str(draft))).findings
    assert (finding.confidence, finding.message) == ("exact", "cannot reach [db-7] (again)")
    assert text.splitlines()[finding.line - 1].startswith(">>> thing.errors.ConnectError")
