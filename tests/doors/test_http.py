"""The HTTP API: answers, errors, lists of records, caching and status."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.http import SECRET, problem_of, serve
from tests.support.records import record
from tests.support.repository import RECORDS
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.main import create_app
from whyraise.settings import Settings

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        mine="off", cache_dir=str(tmp_path_factory.mktemp("cache")), max_body_bytes=100_000, max_batch_texts=3
    )
    with serve(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A service with five records, two of them with one slug, one that matches no text; and an invalid line."""
    folder = tmp_path_factory.mktemp("many")
    records = [record(f"the number {n} is wrong", id=f"{n:016x}", tags=["odd" if n % 2 else "even"]) for n in range(4)]
    records[0]["slug"] = records[1]["slug"] = "shared"
    records.append(record("fine", "never matches itself", id="f" * 16, errorClass="KeyError", severity="warning"))
    lines = [json.dumps(envelope) for envelope in records] + ["{not json"]
    (folder / "mine.jsonl").write_text("\n".join(lines), "utf-8")
    with serve(create_app(Settings(only=1, sources=str(folder / "mine.jsonl"), cache_dir=str(folder)))) as client:
        yield client


def test_explain_answers_with_the_documented_object(client: TestClient) -> None:
    body = client.post("/v1/explain", json={"text": TRACEBACK}).json()
    assert set(body) == {"datasets", "findings", "exceptions", "nearest", "wrapper", "truncated", "growing", "muted"}
    [finding] = body["findings"]
    start = TRACEBACK.index("Blocking")
    assert {name: finding[name] for name in ("confidence", "kind", "line", "spans", "dataset", "sameAs")} == {
        "confidence": "exact",
        "kind": "fix",
        "line": 7,
        "spans": [{"start": start, "end": start + len(MESSAGE)}],
        "dataset": "records",
        "sameAs": [],
    }
    published = json.loads(next(RECORDS.glob("*/*/blocking-backward*/record.json")).read_text("utf-8"))["record"]
    assert list(finding["record"].items()) == list(published.items())


def test_plain_text_is_read_and_markdown_is_answered_if_preferred(client: TestClient) -> None:
    headers = {"content-type": "text/plain; charset=utf-8", "accept": "text/markdown"}
    response = client.post("/v1/explain", content=MESSAGE.encode() + b"\xff\x00", headers=headers)
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.text.startswith("# Blocking backward sync is only possible")


def test_spans_count_utf16_units_if_requested(client: TestClient) -> None:
    text = "😀 " + MESSAGE
    spans = [
        client.post("/v1/explain", params=query, json={"text": text}).json()["findings"][0]["spans"][0]["start"]
        for query in ({}, {"offsets": "utf16"})
    ]
    assert spans == [2, 3]


def test_a_batch_answers_each_text_separately(client: TestClient) -> None:
    answers = client.post("/v1/explain:batch", json={"texts": [MESSAGE, "all is well"]}).json()["answers"]
    assert [[finding["record"]["id"] for finding in answer["findings"]] for answer in answers] == [[SEED], []]


def test_a_diagnosis_returns_the_first_difference(client: TestClient) -> None:
    answer = client.post("/v1/diagnose", json={"id": SEED, "text": MESSAGE.replace("only", "Only")}).json()
    assert (answer["matches"], answer["parting"]["expected"][:4], answer["parting"]["found"][:4]) == (
        False,
        "only",
        "Only",
    )


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        ("GET", "/nowhere", {}, 404),
        ("GET", "/v1/records/none", {}, 404),
        ("GET", "/v1/records/a/b/c", {}, 404),
        ("POST", "/v1/diagnose", {"json": {"id": SECRET, "text": SECRET}}, 404),
        ("PUT", "/v1/explain", {"json": {"text": SECRET}}, 405),
        ("DELETE", "/livez", {}, 405),
        ("POST", "/v1/explain", {"content": (SECRET * 10_000).encode()}, 413),
        ("POST", "/v1/explain", {"content": iter([SECRET.encode()] * 10_000)}, 413),
        ("POST", "/v1/explain", {"content": SECRET.encode()}, 415),
        ("POST", "/v1/explain:batch", {"content": b"x", "headers": {"content-type": "text/plain"}}, 415),
        ("POST", "/v1/explain", {"content": b'{"text": "' + SECRET.encode(), "headers": JSON}, 422),
        ("POST", "/v1/explain", {"json": {SECRET: "x", "text": 3}}, 422),
        ("POST", "/v1/explain", {"json": [SECRET]}, 422),
        ("POST", "/v1/explain", {"content": b'{"text": "\\ud800"}', "headers": JSON}, 422),
        ("POST", "/v1/explain?limit=0", {"json": {"text": SECRET}}, 422),
        ("POST", "/v1/explain?minConfidence=" + SECRET, {"json": {"text": "x"}}, 422),
        ("POST", "/v1/explain:batch", {"json": {"texts": [SECRET] * 4}}, 422),
        ("GET", "/v1/records?cursor=" + SECRET + "!", {}, 422),
        ("GET", "/v1/records?limit=1000", {}, 422),
    ],
)  # fmt: skip
def test_every_error_is_a_problem_document_and_never_repeats_the_paste(
    client: TestClient, method: str, path: str, options: dict[str, Any], status: int
) -> None:
    response = client.request(method, path, **options)
    assert problem_of(response)[0] == status
    assert SECRET not in response.text


def test_a_wrong_method_is_answered_with_the_allowed_methods(client: TestClient) -> None:
    assert client.put("/v1/explain").headers["allow"] == "POST"


def test_head_answers_as_get_without_a_body(client: TestClient) -> None:
    get, head = client.get("/v1/limits"), client.head("/v1/limits")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", get.headers["content-length"])


def test_records_are_listed_page_by_page_in_the_order_of_their_ids(many: TestClient) -> None:
    first = many.get("/v1/records", params={"limit": 3})
    following = first.links["next"]["url"]
    second = many.get(following).json()
    ids = [entry["record"]["id"] for page in (first.json(), second) for entry in page["records"]]
    assert (ids, second["next"]) == ([*(f"{n:016x}" for n in range(4)), "f" * 16], None)


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({"tag": "odd"}, [1, 3]),
        ({"repo": "example/thing", "tag": "even"}, [0, 2]),
        ({"errorClass": "KeyError"}, [int("f" * 16, 16)]),
        ({"severity": "warning"}, [int("f" * 16, 16)]),
        ({"origin": "curated"}, []),
        ({"dataset": "mine", "q": "number 2"}, [2]),
        ({"q": "wrong NEAR( \" *"}, []),
    ],
)  # fmt: skip
def test_records_are_filtered_and_searched(many: TestClient, query: dict[str, str], ids: list[int]) -> None:
    found = many.get("/v1/records", params=query).json()["records"]
    assert [entry["record"]["id"] for entry in found] == [f"{n:016x}" for n in ids]


def test_a_slug_of_several_records_is_answered_with_their_ids(many: TestClient) -> None:
    response = many.get("/v1/records/example/thing/shared")
    assert (response.status_code, response.json()) == (300, {"ids": [f"{n:016x}" for n in range(2)]})
    assert many.get("/v1/records/example/thing/the-number-2-is-wrong").json()["record"]["id"] == f"{2:016x}"


def test_a_cached_record_is_not_sent_again(many: TestClient) -> None:
    first = many.get(f"/v1/records/{1:016x}")
    again = many.get(f"/v1/records/{1:016x}", headers={"if-none-match": f'"x", W/{first.headers["etag"]}'})
    text = many.get(
        f"/v1/records/{1:016x}", headers={"accept": "text/markdown", "if-none-match": first.headers["etag"]}
    )
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert (text.status_code, text.headers["vary"]) == (200, "Accept")


def test_the_data_set_lists_invalid_records_and_records_that_match_no_text(many: TestClient) -> None:
    body = many.get("/v1/dataset").json()
    [fault] = body["setAside"]
    assert (body["records"], Path(fault["file"].partition(":")[0]).name, fault["pointer"]) == (5, "mine.jsonl", "")
    reason = "the pattern does not match the record's own errorMessage"
    assert body["unmatched"] == [{"id": "f" * 16, "reason": reason}]
    ready = many.get("/readyz").json()
    assert (ready["ready"], ready["records"], ready["setAside"], len(ready["reasons"])) == (True, 5, 1, 1)


def test_a_record_that_matches_no_text_is_served_by_id(many: TestClient) -> None:
    assert many.get(f"/v1/records/{'f' * 16}").json()["record"]["errorMessage"] == "fine"


def test_a_service_without_a_valid_record_is_alive_and_not_ready(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": 3}\n', "utf-8")
    with serve(create_app(Settings(only=1, sources=str(tmp_path / "bad.jsonl"), cache_dir=str(tmp_path)))) as client:
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["ready"], client.get("/livez").status_code) == (503, False, 200)


def test_limits_are_those_of_the_settings(client: TestClient) -> None:
    assert client.get("/v1/limits").json() == {
        "maxBodyBytes": 100_000, "maxBatchTexts": 3, "maxToolBytes": 2097152, "largePasteBytes": 262144,
        "largePasteQueue": 8, "maxFindings": 10,
    }  # fmt: skip


def test_the_version_contains_the_digest_of_the_records(client: TestClient) -> None:
    assert client.get("/version").json()["digest"] == client.get("/v1/dataset").json()["digest"]


def test_head_of_a_missing_page_is_answered_like_get_without_a_body(client: TestClient) -> None:
    get = client.get("/missing", headers={"accept": "text/html"})
    head = client.head("/missing", headers={"accept": "text/html"})
    assert (head.status_code, head.content, head.headers["content-type"]) == (404, b"", get.headers["content-type"])
    assert head.headers["content-length"] == get.headers["content-length"]


def test_a_paste_does_not_choose_which_source_files_of_the_machine_are_read(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    for path, text in {
        "iniconfig/__init__.py": "def f(x):\n    raise ValueError(f'the hidden door is shut for {x}')  # SECRET\n",
        "iniconfig-0.1.dist-info/METADATA": "Name: iniconfig\nVersion: 0.1\n",
    }.items():
        (site / path).parent.mkdir(parents=True)
        (site / path).write_text(text.replace("SECRET", SECRET), "utf-8")
    frame = f'  File "{site}/iniconfig/__init__.py", line 2, in f\n    raise ValueError(text)\n'
    paste = f"Traceback (most recent call last):\n{frame}ValueError: the hidden door is shut for me\n"
    with serve(create_app(Settings(mine="iniconfig", cache_dir=str(tmp_path / "cache")))) as client:
        answers = [client.post("/v1/explain", json={"text": paste}), client.post("/answer", data={"text": paste})]
        answers.append(client.post("/v1/tools/explain_error", json={"text": paste, "detail": "detailed"}))
    assert [(answer.status_code, SECRET in answer.text) for answer in answers] == [(200, False)] * 3
