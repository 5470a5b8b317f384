"""The pages without a browser: they show the same as JSON and Markdown, in the representation that was requested."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from tests.support.html import elements, named, of_class
from tests.support.records import record
from tests.support.repository import RECORDS
from tests.support.seed import SEED, TRACEBACK
from whyraise.main import create_api, create_app
from whyraise.settings import Settings
from whyraise.web.pages.confine import POLICY

PASTES = sorted(RECORDS.glob("*/*/*/match/*.log"))[:26] + sorted(RECORDS.glob("*/*/*/lookalike/*.log"))[:4]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PAGE = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(mine="off", cache_dir=str(tmp_path_factory.mktemp("cache"))))) as client:
        yield client


def answer_page(client: TestClient, text: str) -> str:
    response = client.post("/answer", content=text.encode(), headers={"Content-Type": "text/plain"})
    assert response.status_code == 200
    return response.text


def findings_on_page(html: str) -> list[tuple[Any, ...]]:
    """Return each finding on a page: record id, confidence, line, message, evidence and captures."""
    findings = []
    for article in re.findall(r'<article class="finding.*?</article>', html, re.S):
        [confidence], [line] = of_class(article, "confidence"), of_class(article, "to-text")
        evidence = [element.text for element in elements(article) if "data-evidence" in element.attributes]
        values = [element.text for element in named(article, "dd")]
        names = [element.text for element in named(article, "dt")]
        number = int(line.text.removeprefix("line ").removesuffix(" of your paste").replace(",", ""))
        title = " ".join(named(article, "h3")[0].text.split())
        record_id = elements(article)[0].attributes["data-record"]
        findings.append((record_id, confidence.text, number, title, evidence, list(zip(names, values, strict=True))))
    return findings


def findings_in_json(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            finding["record"]["id"],
            finding["confidence"],
            finding["line"],
            " ".join(finding["message"].split()),
            [evidence["text"].replace("`", "") for evidence in finding["evidence"]],
            [(capture["name"], capture["value"]) for capture in finding["captures"]],
        )
        for finding in answer["findings"]
    ]


@pytest.mark.parametrize("path", PASTES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_page_json_and_markdown_give_the_same_answer(path: Path, client: TestClient) -> None:
    text = path.read_text("utf-8").replace(">>> ", "")
    as_json = client.post("/v1/explain", json={"text": text}).json()
    as_markdown = client.post("/v1/explain", json={"text": text}, headers={"Accept": "text/markdown"}).text
    page = answer_page(client, text)
    assert findings_on_page(page) == findings_in_json(as_json)
    headings = re.findall(r"^\*\*(\w+)\*\*, line (\d+): ", as_markdown, re.M)
    assert headings == [(finding["confidence"], str(finding["line"])) for finding in as_json["findings"]]
    nearest = [nearest["record"]["id"] for nearest in as_json["nearest"]]
    assert re.findall(r'<article class="near".*?href="/e/(\w+)"', page, re.S) == nearest
    assert all(f"`{record_id}`" in as_markdown for record_id in nearest)


def test_there_are_thirty_pastes_with_and_without_findings(client: TestClient) -> None:
    texts = [path.read_text("utf-8").replace(">>> ", "") for path in PASTES]
    counts = [len(findings_on_page(answer_page(client, text))) for text in texts]
    assert (len(counts), counts.count(0) > 0, sum(counts) >= 26) == (30, True, True)


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        (PAGE["Accept"], "text/html; charset=utf-8"),
        ("*/*", "text/html; charset=utf-8"),
        ("text/markdown, text/html;q=0.5", "text/markdown; charset=utf-8"),
        ("application/json", "application/json"),
        ("text/html;q=0.1, application/*;q=0.9", "application/json"),
    ],
)
def test_a_record_comes_in_the_representation_that_was_requested(
    accept: str, content_type: str, client: TestClient
) -> None:
    response = client.get(f"/e/{SEED}", headers={"Accept": accept})
    assert (response.headers["content-type"], response.headers["vary"]) == (content_type, "Accept")
    again = client.get(f"/e/{SEED}", headers={"Accept": accept, "If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = client.head(f"/e/{SEED}", headers={"Accept": accept})
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", response.headers["etag"])


def test_the_json_and_markdown_of_a_record_are_those_of_the_api(client: TestClient) -> None:
    markdown = client.get(f"/v1/records/{SEED}", headers={"Accept": "text/markdown"}).text
    assert client.get(f"/e/{SEED}.json").json() == client.get(f"/v1/records/{SEED}").json()
    assert client.get(f"/e/{SEED}.md").text == markdown


@pytest.mark.parametrize(("accept", "is_page"), [("text/html", True), ("text/html;q=0, */*", False), ("*/*", False)])
def test_a_problem_is_a_page_only_if_the_request_prefers_one(accept: str, is_page: bool, client: TestClient) -> None:
    content_type = client.get("/nowhere", headers={"accept": accept}).headers["content-type"]
    assert content_type.startswith("text/html" if is_page else "application/problem+json")


def test_a_paste_of_another_media_type_is_refused_with_the_reason(client: TestClient) -> None:
    response = client.post("/", json={"text": "KeyError: 'x'"}, headers={"accept": "*/*"})
    assert (response.status_code, response.json()["detail"].partition(".")[0]) == (415, "The text cannot be read")


def test_a_record_page_has_all_sections_and_links_to_its_other_representations(client: TestClient) -> None:
    page = client.get(f"/e/{SEED}", headers=PAGE).text
    published = client.get(f"/v1/records/{SEED}").json()["record"]
    [title], [heading] = named(page, "title"), named(page, "h1")
    assert title.text == heading.text == published["errorMessage"]
    headings = [heading.text for heading in named(page, "h2")]
    assert headings == [
        "Message variants",
        "What went wrong",
        "Solutions",
        "Failing example",
        "Fixed example",
        "Fix, as published: fails when run",
        "Type guard, corrected",
        "Type guard, as published: fails when run",
        "Validation, corrected",
        "Validation, as published: fails when run",
        "Prevention",
        "Where it is raised",
        "See also",
    ]
    links = {(link.attributes["rel"], link.attributes["href"]) for link in named(page, "link")}
    expected = {("canonical", f"/e/{SEED}"), ("alternate", f"/e/{SEED}.json"), ("alternate", f"/e/{SEED}.md")}
    assert links >= expected
    struck = [element.text for element in named(page, "s")]
    assert any("fabric.no_backward_sync(is_first_batch)" in line for line in struck)
    assert "noindex" not in page


def test_every_record_page_is_at_most_100_kb(client: TestClient) -> None:
    ids = [entry["record"]["id"] for entry in client.get("/v1/records?limit=200").json()["records"]]
    sizes = {record_id: len(client.get(f"/e/{record_id}", headers=PAGE).content) for record_id in ids}
    assert max(sizes.values()) <= 100_000, sizes


def test_records_are_searched_filtered_and_paged(client: TestClient) -> None:
    def ids(query: str) -> list[str]:
        return re.findall(r'<li><a href="/e/(\w+)"', client.get(f"/records?{query}", headers=PAGE).text)

    assert ids("q=backward+sync+DistributedDataParallel") == [SEED]
    assert ids("proof=corrected") == [SEED]
    assert SEED in ids("repo=Lightning-AI/pytorch-lightning&errorClass=TypeError&tag=ddp&origin=published")
    assert ids("tag=nothing+has+this") == []
    pages = [ids(f"page={number}") for number in range(1, 6)]
    assert [len(page) for page in pages[:3]] == [30, 30, 30]
    everything = [record_id for page in pages for record_id in page]
    assert everything == sorted(set(everything))
    assert len(everything) == client.get("/readyz").json()["records"]


def test_about_shows_the_data_sets_and_the_invalid_records(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"record": {"id": "<b>broken</b>"}}\n', "utf-8")
    settings = Settings(only=1, sources=f"{RECORDS}:{tmp_path / 'records.jsonl'}", mine="off", cache_dir=str(tmp_path))
    with TestClient(create_app(settings)) as client:
        page = client.get("/about", headers=PAGE).text
        served = client.get("/v1/dataset").json()
    for dataset in served["datasets"]:
        assert f"<td>{dataset['records']}</td><td><code>{dataset['digest'][:16]}</code>" in page
    [file] = {fault["file"] for fault in served["setAside"]}
    assert Path(file).name in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/e/nope", 404), ("GET", "/nowhere", 404), ("GET", "/?example=x", 404)]
)
def test_a_problem_is_a_page_for_people_and_a_document_for_programs(
    method: str, path: str, status: int, client: TestClient
) -> None:
    page = client.request(method, path, headers=PAGE)
    document = client.request(method, path)
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert (document.status_code, document.headers["content-type"]) == (status, "application/problem+json")
    assert of_class(page.text, "advice")[0].text == document.json()["detail"]


@pytest.mark.parametrize("path", ["/", f"/e/{SEED}", "/records", "/about", "/nowhere", "/v1/limits", "/static/page.js"])
def test_every_response_has_the_security_headers_and_sets_no_cookie(path: str, client: TestClient) -> None:
    headers = client.get(path, headers=PAGE).headers
    assert headers["content-security-policy"] == POLICY
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert "set-cookie" not in headers


@pytest.mark.parametrize("path", ["/", "/answer", "/draft"])
def test_no_answer_to_a_paste_is_cached(path: str, client: TestClient) -> None:
    response = client.post(path, content=urlencode({"text": TRACEBACK}), headers={**FORM, **PAGE})
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")


def test_no_problem_page_is_cached(client: TestClient) -> None:
    assert client.post("/answer", content="text=+", headers={**FORM, **PAGE}).headers["cache-control"] == "no-store"


def test_a_script_url_in_a_record_is_never_a_link(tmp_path: Path) -> None:
    url = "javascript:alert(1)"
    prose = f"[x]({url}) <{url}> [x](java&#115;cript:alert(1)) https://example.org"
    fields: dict[str, Any] = dict.fromkeys(("documentation", "triggerScenarios", "commonSituations"), prose)
    fields |= {name: [prose] for name in ("solutions", "preventionTips", "tags")}
    fields |= dict.fromkeys(("githubUrl", "sourceCode", "exampleFix", "filePath", "slug"), url)
    known = record("the thing {name} failed", repo=f"{url}/x", **fields)
    correction = {"fields": {"exampleFix": url}, "why": {"exampleFix": prose}}
    envelope = {"record": known, "origin": "published", "correction": correction}
    (tmp_path / "records.jsonl").write_text(json.dumps(envelope) + "\n", "utf-8")
    settings = Settings(only=1, sources=str(tmp_path / "records.jsonl"), mine="off", cache_dir=str(tmp_path))
    with TestClient(create_app(settings)) as client:
        pages = [client.get(path, headers=PAGE).text for path in (f"/e/{known['id']}", "/records", "/about")]
        pages.append(answer_page(client, "ValueError: the thing <x> failed"))
    assert len(findings_on_page(pages[-1])) == 1
    assert "alert(1)" in pages[0]
    links = [link.attributes["href"] for page in pages for link in named(page, "a")]
    assert [link for link in links if not link.startswith(("/", "#", "https://"))] == []


def test_a_busy_service_shows_the_paste_of_the_form_again(tmp_path: Path) -> None:
    api = create_api(Settings(mine="off", cache_dir=str(tmp_path), large_paste_bytes=500, large_paste_queue=0))
    with TestClient(api) as client, api.state.service.lane.enter(1000):
        response = client.post("/", content=urlencode({"text": TRACEBACK}), headers={**FORM, **PAGE})
    assert response.status_code == 503
    assert named(response.text, "textarea")[0].text.strip() == TRACEBACK.strip()
    assert [element.text[:21] for element in of_class(response.text, "status")] == ["Too many large pastes"]


def test_reports_link_to_the_url_of_the_setting_if_it_is_a_web_address(tmp_path: Path) -> None:
    for url, expected in (("https://example.org/new", 2), ("javascript:alert(1)", 0), ("", 0)):
        with TestClient(create_app(Settings(mine="off", cache_dir=str(tmp_path), report_url=url))) as client:
            links = [link.attributes.get("href", "") for link in named(answer_page(client, TRACEBACK), "a")]
        assert links.count("https://example.org/new") == expected
        assert not [link for link in links if link.startswith("javascript")]


@pytest.mark.parametrize("path", ["/", "/answer", "/draft"])
def test_an_empty_paste_gets_no_answer(path: str, client: TestClient) -> None:
    response = client.post(path, content="text=+", headers=FORM)
    assert response.status_code == (200 if path == "/" else 422)
    assert "article" not in response.text


def test_a_form_with_too_many_fields_is_refused(client: TestClient) -> None:
    response = client.post("/", content="&".join("a=b" for _ in range(100)), headers=FORM)
    assert (response.status_code, response.json()["detail"]) == (422, "The form has more fields than it should.")


def test_the_first_findings_are_shown_whole_and_the_others_link_to_their_records(client: TestClient) -> None:
    text = "\n".join(path.read_text("utf-8").replace(">>> ", "") for path in PASTES[:12])
    page = answer_page(client, text)
    articles = re.findall(r'<article class="finding.*?</article>', page, re.S)
    assert ["What it means and how to fix it" in article for article in articles] == [False] * 3 + [True] * (
        len(articles) - 3
    )
    assert len(articles) == 10
    paste = re.search(r'<pre class="lit".*?</pre>', page, re.S)
    assert paste is not None
    assert len(page.encode()) - len(paste[0].encode()) <= 60_000


def test_a_too_large_form_is_answered_with_a_page_that_names_the_limit(tmp_path: Path) -> None:
    settings = Settings(mine="off", cache_dir=str(tmp_path), max_body_bytes=1000)
    with TestClient(create_app(settings)) as client:
        response = client.post("/", content=b"text=" + b"x" * 2000, headers={**FORM, **PAGE})
    assert (response.status_code, response.headers["content-type"]) == (413, "text/html; charset=utf-8")
    assert "more than 1,000 bytes" in response.text


def test_the_page_with_its_files_and_an_answer_without_the_paste_is_at_most_60_kb(client: TestClient) -> None:
    page = client.get("/?example=traceback").text
    static = [client.get(url).content for url in set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))]
    paste = len(re.search(r'<pre class="lit".*?</pre>', page, re.S)[0]) + len(TRACEBACK)  # type: ignore[index]
    size = len(page.encode()) + sum(map(len, static)) - paste
    assert size <= 60_000
