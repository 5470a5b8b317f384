"""The pages without a browser: they say what JSON and Markdown say, in the representation that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from tests.support.html import elements, named, of_class
from tests.support.repository import RECORDS
from tests.support.seed import SEED, TRACEBACK
from whyraise.main import create_api, create_app
from whyraise.settings import Settings
from whyraise.web.pages.confine import POLICY
from whyraise.web.responses import preferred

PASTES = sorted(RECORDS.glob("*/*/*/match/*.log"))[:26] + sorted(RECORDS.glob("*/*/*/lookalike/*.log"))[:4]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PAGE = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(mine="off", cache_dir=str(tmp_path_factory.mktemp("cache"))))) as client:
        yield client


def answer(client: TestClient, text: str) -> str:
    response = client.post("/answer", content=text.encode(), headers={"Content-Type": "text/plain"})
    assert response.status_code == 200
    return response.text


def said_by_page(html: str) -> list[tuple[Any, ...]]:
    """Return of each finding on a page: record, confidence, line, message, evidence without its marks, captures."""
    found = []
    for article in re.findall(r'<article class="finding.*?</article>', html, re.S):
        [confidence], [line] = of_class(article, "confidence"), of_class(article, "to-text")
        evidence = [each.text for each in elements(article) if "data-evidence" in each.attributes]
        values = [each.text for each in named(article, "dd")]
        names = [each.text for each in named(article, "dt")]
        number = int(line.text.removeprefix("line ").removesuffix(" of your paste").replace(",", ""))
        title = " ".join(named(article, "h3")[0].text.split())
        record = elements(article)[0].attributes["data-record"]
        found.append((record, confidence.text, number, title, evidence, list(zip(names, values, strict=True))))
    return found


def said_by_json(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            each["record"]["id"],
            each["confidence"],
            each["line"],
            " ".join(each["message"].split()),
            [one["text"].replace("`", "") for one in each["evidence"]],
            [(one["name"], one["value"]) for one in each["captures"]],
        )
        for each in answer["findings"]
    ]


@pytest.mark.parametrize("path", PASTES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_page_json_and_markdown_say_the_same_of_a_paste(path: Path, client: TestClient) -> None:
    text = path.read_text("utf-8").replace(">>> ", "")
    as_json = client.post("/v1/explain", json={"text": text}).json()
    as_markdown = client.post("/v1/explain", json={"text": text}, headers={"Accept": "text/markdown"}).text
    page = answer(client, text)
    assert said_by_page(page) == said_by_json(as_json)
    heads = re.findall(r"^\*\*(\w+)\*\*, line (\d+): ", as_markdown, re.M)
    assert heads == [(each["confidence"], str(each["line"])) for each in as_json["findings"]]
    near = [each["record"]["id"] for each in as_json["nearest"]]
    assert re.findall(r'<article class="near".*?href="/e/(\w+)"', page, re.S) == near
    assert all(f"`{each}`" in as_markdown for each in near)


def test_there_are_thirty_pastes_with_and_without_findings(client: TestClient) -> None:
    found = [len(said_by_page(answer(client, path.read_text("utf-8").replace(">>> ", "")))) for path in PASTES]
    assert (len(found), found.count(0) > 0, sum(found) >= 26) == (30, True, True)


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
def test_a_record_comes_in_the_representation_that_was_asked_for(
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


@pytest.mark.parametrize(
    ("accept", "best"),
    [("", "a/x"), ("b/y", "b/y"), ("a/*;q=0.2, b/y;q=0.3", "b/y"), ("*/*;q=0.1, a/x;q=0", "b/y"), ("b/y;q=x", "a/x")],
)
def test_the_most_specific_range_weighs(accept: str, best: str) -> None:
    assert preferred(accept, ["a/x", "b/y"]) == best


@pytest.mark.parametrize(("accept", "is_page"), [("text/html", True), ("text/html;q=0, */*", False), ("*/*", False)])
def test_a_problem_is_a_page_only_for_who_prefers_one(accept: str, is_page: bool, client: TestClient) -> None:
    kind = client.get("/nowhere", headers={"accept": accept}).headers["content-type"]
    assert kind.startswith("text/html" if is_page else "application/problem+json")


def test_a_paste_in_a_form_that_is_none_is_refused_and_not_lost(client: TestClient) -> None:
    answer = client.post("/", json={"text": "KeyError: 'x'"}, headers={"accept": "*/*"})
    assert (answer.status_code, answer.json()["detail"].partition(".")[0]) == (415, "The text cannot be read")


def test_a_record_page_has_the_skeleton_and_says_where_its_other_forms_are(client: TestClient) -> None:
    page = client.get(f"/e/{SEED}", headers=PAGE).text
    record = client.get(f"/v1/records/{SEED}").json()["record"]
    [title], [heading] = named(page, "title"), named(page, "h1")
    assert title.text == heading.text == record["errorMessage"]
    headings = [each.text for each in named(page, "h2")]
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
    links = {(each.attributes["rel"], each.attributes["href"]) for each in named(page, "link")}
    expected = {("canonical", f"/e/{SEED}"), ("alternate", f"/e/{SEED}.json"), ("alternate", f"/e/{SEED}.md")}
    assert links >= expected
    struck = [each.text for each in named(page, "s")]
    assert any("fabric.no_backward_sync(is_first_batch)" in line for line in struck)
    assert "noindex" not in page


def test_every_record_page_is_at_most_100_kb(client: TestClient) -> None:
    ids = [each["record"]["id"] for each in client.get("/v1/records?limit=200").json()["records"]]
    sizes = {each: len(client.get(f"/e/{each}", headers=PAGE).content) for each in ids}
    assert max(sizes.values()) <= 100_000, sizes


def test_records_are_searched_narrowed_and_paged(client: TestClient) -> None:
    def ids(query: str) -> list[str]:
        return re.findall(r'<li><a href="/e/(\w+)"', client.get(f"/records?{query}", headers=PAGE).text)

    assert ids("q=backward+sync+DistributedDataParallel") == [SEED]
    assert ids("proof=corrected") == [SEED]
    assert SEED in ids("repo=Lightning-AI/pytorch-lightning&errorClass=TypeError&tag=ddp&origin=published")
    assert ids("tag=nothing+has+this") == []
    pages = [ids(f"page={number}") for number in range(1, 6)]
    assert [len(page) for page in pages[:3]] == [30, 30, 30]
    everything = [each for page in pages for each in page]
    assert everything == sorted(set(everything))
    assert len(everything) == client.get("/readyz").json()["records"]


def test_about_says_what_is_served_and_what_was_set_aside(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"record": {"id": "<b>broken</b>"}}\n', "utf-8")
    settings = Settings(sources=f"{RECORDS}:{tmp_path / 'records.jsonl'}", mine="off", cache_dir=str(tmp_path))
    with TestClient(create_app(settings)) as client:
        page = client.get("/about", headers=PAGE).text
        served = client.get("/v1/dataset").json()
    for each in served["datasets"]:
        assert f"<td>{each['records']}</td><td><code>{each['digest'][:16]}</code>" in page
    [fault] = {each["file"] for each in served["setAside"]}
    assert Path(fault).name in page
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
def test_every_answer_confines_what_a_browser_does_with_it_and_sets_no_cookie(path: str, client: TestClient) -> None:
    headers = client.get(path, headers=PAGE).headers
    assert headers["content-security-policy"] == POLICY
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert "set-cookie" not in headers


def test_a_form_that_the_service_has_no_room_for_gets_its_paste_back(tmp_path: Path) -> None:
    api = create_api(Settings(mine="off", cache_dir=str(tmp_path), large_paste_bytes=500, large_paste_queue=0))
    with TestClient(api) as client, api.state.service.lane.enter(1000):
        response = client.post("/", content=urlencode({"text": TRACEBACK}), headers={**FORM, **PAGE})
    assert response.status_code == 503
    assert named(response.text, "textarea")[0].text.strip() == TRACEBACK.strip()
    assert [each.text[:21] for each in of_class(response.text, "status")] == ["Too many large pastes"]


def test_reports_lead_to_where_the_setting_says_and_nowhere_else(tmp_path: Path) -> None:
    for url, expected in (("https://example.org/new", 2), ("javascript:alert(1)", 0), ("", 0)):
        with TestClient(create_app(Settings(mine="off", cache_dir=str(tmp_path), report_url=url))) as client:
            links = [each.attributes.get("href", "") for each in named(answer(client, TRACEBACK), "a")]
        assert links.count("https://example.org/new") == expected
        assert not [each for each in links if each.startswith("javascript")]


@pytest.mark.parametrize("path", ["/", "/answer", "/draft"])
def test_an_empty_paste_is_told_apart_from_an_answer(path: str, client: TestClient) -> None:
    response = client.post(path, content="text=+", headers=FORM)
    assert response.status_code == (200 if path == "/" else 422)
    assert "article" not in response.text


def test_a_form_with_too_many_fields_is_refused(client: TestClient) -> None:
    response = client.post("/", content="&".join("a=b" for _ in range(100)), headers=FORM)
    assert (response.status_code, response.json()["detail"]) == (422, "The form has more fields than it should.")


def test_of_many_findings_the_first_are_shown_whole_and_the_others_lead_to_their_records(client: TestClient) -> None:
    text = "\n".join(path.read_text("utf-8").replace(">>> ", "") for path in PASTES[:12])
    page = answer(client, text)
    articles = re.findall(r'<article class="finding.*?</article>', page, re.S)
    assert ["What it means and how to fix it" in each for each in articles] == [False] * 3 + [True] * (
        len(articles) - 3
    )
    assert len(articles) == 10
    paste = re.search(r'<pre class="lit".*?</pre>', page, re.S)
    assert paste is not None
    assert len(page.encode()) - len(paste[0].encode()) <= 60_000


def test_a_too_large_form_is_a_page_that_says_so(tmp_path: Path) -> None:
    settings = Settings(mine="off", cache_dir=str(tmp_path), max_body_bytes=1000)
    with TestClient(create_app(settings)) as client:
        response = client.post("/", content=b"text=" + b"x" * 2000, headers={**FORM, **PAGE})
    assert (response.status_code, response.headers["content-type"]) == (413, "text/html; charset=utf-8")
    assert "more than 1,000 bytes" in response.text


def test_the_page_with_its_files_and_an_answer_without_the_paste_is_at_most_60_kb(client: TestClient) -> None:
    page = client.get("/?example=traceback").text
    static = [client.get(each).content for each in set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))]
    paste = len(re.search(r'<pre class="lit".*?</pre>', page, re.S)[0]) + len(TRACEBACK)  # type: ignore[index]
    size = len(page.encode()) + sum(map(len, static)) - paste
    assert size <= 60_000
