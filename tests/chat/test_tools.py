"""The tools over plain HTTP: their declarations and answers, and the index for models, `/llms.txt`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt
from starlette.testclient import TestClient

from tests.support.http import SECRET, problem_of, serve
from tests.support.records import record
from tests.support.repository import RECORDS
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.main import create_api, create_app
from whyraise.settings import Settings

NAMES = ["explain_error", "get_record", "search_records"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        mine="off",
        cache_dir=str(tmp_path_factory.mktemp("cache")),
        max_tool_bytes=20_000,
        public_url="https://errors.example.org",
    )
    with serve(create_app(settings)) as client:
        yield client


def call(client: TestClient, name: str, **arguments: object) -> Any:
    response = client.post(f"/v1/tools/{name}", json=arguments)
    assert response.status_code == 200
    assert set(response.json()) == {"content", "structured"}
    return response.json()["structured"]


def declared(client: TestClient, name: str) -> list[dict[str, Any]]:
    return list(client.get("/v1/tools", params={"format": name}).json()["tools"])


def test_openai_declarations_are_strict_functions(client: TestClient) -> None:
    tools = declared(client, "openai")
    assert [tool["name"] for tool in tools] == NAMES
    for tool in tools:
        assert (set(tool), tool["type"], tool["strict"]) == (
            {"type", "name", "description", "parameters", "strict"},
            "function",
            True,
        )
        check_strict(tool["parameters"])


def test_anthropic_declarations_have_input_schemas_with_valid_examples(client: TestClient) -> None:
    tools = declared(client, "anthropic")
    assert [tool["name"] for tool in tools] == NAMES
    for tool in tools:
        assert set(tool) == {"name", "description", "input_schema", "strict", "input_examples"}
        check_strict(tool["input_schema"])
        for example in tool["input_examples"]:
            jsonschema.validate(example, {**tool["input_schema"], "required": []})


def check_strict(schema: dict[str, Any]) -> None:
    """Check that strict modes accept a schema: no other properties, all required, no keyword that they refuse."""
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"])
    assert not re.search(r'"(maxLength|minimum|maximum|default|\$ref|\$defs)":', json.dumps(schema))


def test_mcp_declarations_have_titles_hints_and_schemas_of_answers(client: TestClient) -> None:
    tools = declared(client, "mcp")
    assert [tool["name"] for tool in tools] == NAMES
    for tool in tools:
        assert tool["annotations"] == {
            "title": tool["title"],
            "readOnlyHint": True,
            "idempotentHint": True,
            "destructiveHint": False,
            "openWorldHint": False,
        }
        assert "$ref" not in json.dumps(tool)
    assert tools[0]["inputSchema"]["properties"]["text"]["maxLength"] == 2 * 1024 * 1024


def test_answers_match_the_declared_schemas(client: TestClient) -> None:
    schemas = {tool["name"]: tool["outputSchema"] for tool in declared(client, "mcp")}
    for text in (TRACEBACK, TRACEBACK.replace("sync is", "SYNC is"), "", "all is well"):
        jsonschema.validate(call(client, "explain_error", text=text), schemas["explain_error"])
    jsonschema.validate(call(client, "get_record", id=SEED), schemas["get_record"])
    jsonschema.validate(call(client, "search_records", query="backward"), schemas["search_records"])


def test_the_tools_cost_few_tokens(client: TestClient) -> None:
    sizes = {name: len(json.dumps(declared(client, name))) for name in ("openai", "anthropic", "mcp")}
    assert sizes["openai"] < 2_500
    assert sizes["anthropic"] < 2_500
    assert sizes["mcp"] < 11_500  # half of it are the schemas of answers


def test_unchanged_declarations_are_not_sent_again(client: TestClient) -> None:
    first = client.get("/v1/tools?format=openai")
    again = client.get("/v1/tools?format=openai", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/v1/tools").headers["etag"] != first.headers["etag"]


def test_a_finding_has_fix_guards_verdict_and_citation(client: TestClient) -> None:
    [finding] = call(client, "explain_error", text=TRACEBACK)["findings"]
    correction = json.loads(next(RECORDS.glob("*/*/blocking-backward*/correction.json")).read_text("utf-8"))
    assert finding["fix"] == {
        "kind": "fix",
        "code": correction["fields"]["exampleFix"],
        "language": "python",
        "state": "corrected",
        "why": correction["why"]["exampleFix"],
    }
    assert finding["verdict"]["verdict"] == "corrected"
    assert finding["verdict"]["says"].startswith(
        "Corrected: the published fix fails, the correction is proven on 2 ranks"
    )
    assert [(guard["kind"], guard["state"]) for guard in finding["guards"]] == [
        ("typeGuard", "corrected"),
        ("validation", "corrected"),
    ]
    assert finding["citation"] == {
        "id": SEED,
        "url": f"https://errors.example.org/e/{SEED}",
        "resource": f"whyraise://records/{SEED}",
        "repo": "Lightning-AI/pytorch-lightning",
        "file": "lightning/fabric/strategies/ddp.py",
        "line": 268,
        "source": json.loads((next(RECORDS.glob("*/*/blocking-backward*")) / "record.json").read_text("utf-8"))[
            "record"
        ]["githubUrl"],
    }


def test_without_a_match_the_answer_has_the_nearest_records(client: TestClient) -> None:
    answer = call(client, "explain_error", text=TRACEBACK.replace("sync is", "SYNC is"))
    assert (answer["matched"], answer["findings"]) == (False, [])
    nearest = answer["nearest"][0]
    assert (nearest["citation"]["id"], nearest["hint"], nearest["expected"][:7], nearest["found"][:7]) == (
        SEED,
        "case",
        "sync is",
        "SYNC is",
    )
    assert answer["advice"].startswith("Paste the whole traceback")


def test_a_tool_answers_in_markdown_on_request(client: TestClient) -> None:
    arguments = {"text": TRACEBACK}
    response = client.post("/v1/tools/explain_error", json=arguments, headers={"accept": "text/markdown"})
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.text == client.post("/v1/tools/explain_error", json=arguments).json()["content"]


@pytest.mark.parametrize(
    ("name", "options", "status"),
    [
        ("none", {"json": {}}, 404),
        ("explain_error", {"json": {SECRET: SECRET}}, 422),
        ("explain_error", {"json": {"text": SECRET, "detail": SECRET}}, 422),
        ("explain_error", {"json": [SECRET]}, 422),
        ("explain_error", {"content": SECRET.encode()}, 415),
        ("explain_error", {"json": {"text": SECRET * 2_000}}, 413),
        ("get_record", {"json": {"id": SECRET}}, 404),
        ("search_records", {"json": {"query": SECRET, "limit": 0}}, 422),
    ],
)
def test_errors_are_problem_documents_that_repeat_nothing_of_the_request(
    client: TestClient, name: str, options: dict[str, Any], status: int
) -> None:
    response = client.post(f"/v1/tools/{name}", **options)
    assert problem_of(response)[0] == status
    assert SECRET not in response.text


@pytest.mark.parametrize(("limit", "status"), [(1, 200), (5.0, 200), (True, 422), ("5", 422), (1.5, 422), (21, 422)])
def test_the_number_of_records_is_an_integer_as_json_schema_means_it(
    client: TestClient, limit: object, status: int
) -> None:
    answer = client.post("/v1/tools/search_records", json={"query": "backward", "limit": limit})
    assert answer.status_code == status


def test_large_pastes_of_tools_share_the_queue_of_all_large_pastes(tmp_path: Path) -> None:
    settings = Settings(mine="off", cache_dir=str(tmp_path), large_paste_bytes=100, large_paste_queue=0)
    app = create_api(settings)
    with serve(app) as client:
        with app.state.service.lane.enter(101):
            large, small = (client.post("/v1/tools/explain_error", json={"text": "x" * size}) for size in (101, 100))
        assert (problem_of(large)[0], large.headers["retry-after"], small.status_code) == (503, "5", 200)


def test_every_answer_cites_the_permanent_address(client: TestClient) -> None:
    found = client.post("/v1/explain", json={"text": MESSAGE}).json()["findings"][0]
    text = client.post("/v1/explain", json={"text": MESSAGE}, headers={"accept": "text/markdown"}).text
    record_answer = client.get(f"/v1/records/{SEED}").json()
    assert {found["links"]["page"], record_answer["links"]["page"]} == {f"/e/{SEED}"}
    assert f"Record `{SEED}` (published), `/e/{SEED}`, Lightning-AI/pytorch-lightning" in text


def test_the_address_of_a_record_is_percent_encoded(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps(record("it is wrong", id="a](javascript:x)?#%")), "utf-8")
    with serve(create_app(Settings(only=1, sources=str(tmp_path / "r.jsonl"), cache_dir=str(tmp_path)))) as client:
        page = client.get("/v1/records").json()["records"][0]["links"]["page"]
        assert page == "/e/a%5D%28javascript%3Ax%29%3F%23%25"
        assert f"({page}.md): No fix is published." in client.get("/llms.txt").text


def test_llms_txt_lists_every_record_and_every_link_works(client: TestClient) -> None:
    response = client.get("/llms.txt")
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    tokens = MarkdownIt().parse(response.text)
    links = [
        str(child.attrs["href"])
        for token in tokens
        for child in token.children or ()
        if child.type == "link_open"
    ]  # fmt: skip
    pages = {link for link in links if link.startswith("/e/")}
    ids = [json.loads(path.read_text("utf-8"))["record"]["id"] for path in RECORDS.glob("*/*/*/record.json")]
    assert pages == {f"/e/{record_id}.md" for record_id in ids}
    assert {link: client.get(link).status_code for link in links} == dict.fromkeys(links, 200)


def test_llms_txt_has_the_expected_headings_and_a_short_summary(client: TestClient) -> None:
    text = client.get("/llms.txt").text
    assert re.findall(r"^#+ .*", text, re.M) == ["# Whyraise", "## How to ask", "## Known errors", "## Optional"]
    [quote] = re.findall(r"^> (.*)", text, re.M)
    assert len(quote) <= 280
    first = client.get("/llms.txt")
    again = client.get("/llms.txt", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, client.head("/llms.txt").status_code) == (304, 200)
