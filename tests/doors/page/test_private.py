"""Nothing of a paste leaves the browser but in one request, and what people publish holds no secrets."""

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
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain


def test_what_looks_like_a_secret_is_pointed_out_before_anything_is_sent_and_replaced(visit: Visit) -> None:
    page = visit()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.get_by_label("Paste an error").fill(f"login\nexport TOKEN=hf_{'a' * 34}\n{TRACEBACK}")
    expect(page.locator("#secrets-list li")).to_have_text(["Hugging Face token in line 2: hf_a…"])
    page.get_by_role("button", name="Replace with [redacted]").click()
    expect(page.get_by_label("Paste an error")).to_have_value(f"login\nexport TOKEN=[redacted]\n{TRACEBACK}")
    expect(page.locator("#secrets")).to_be_hidden()
    assert sent == []


def test_a_link_with_the_text_is_made_only_when_asked_and_keeps_it_in_the_fragment(visit: Visit) -> None:
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


def test_a_paste_is_in_no_address_and_in_no_storage(visit: Visit) -> None:
    page = visit()
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    ask(page, TRACEBACK)
    assert [each for each in addresses if "Blocking" in each or "?" in each.partition("/static")[0]] == []
    assert page.context.cookies() == []
    assert page.evaluate("() => localStorage.length + sessionStorage.length") == 0


@pytest.fixture
def drafted(visit: Visit, tmp_path: Path) -> Path:
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
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as packed:
        packed.extractall(tmp_path)
    return tmp_path


def test_a_draft_record_can_be_used_and_finds_the_error_that_it_was_made_of(drafted: Path) -> None:
    [log] = drafted.glob("records/*/*/*/match/pasted.log")
    text = log.read_text("utf-8")
    assert not [word for word in ("alice", "hunter2") if word in text]
    built = build([drafted / "records"], drafted / "records.db")
    assert built.faults == ()
    [finding] = explain(text.replace(">>> ", ""), Catalog(str(drafted / "records.db"), str(drafted))).findings
    assert (finding.confidence, finding.message) == ("exact", "cannot reach [db-7] (again)")
    assert text.splitlines()[finding.line - 1].startswith(">>> thing.errors.ConnectError")
