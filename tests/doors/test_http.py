import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.http import SECRET, problem_of, serve
from tests.support.records import record
from tests.support.repository import RECORDS
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.errors import BadInput, Busy, WhyraiseError
from whyraise.main import create_app
from whyraise.settings import Settings
from whyraise.web import problems
from whyraise.web.lane import Lane
from whyraise.web.problems import Guard

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
    """A service with five records, two of one slug, one that cannot be matched, and a line that is none."""
    folder = tmp_path_factory.mktemp("many")
    records = [record(f"the number {n} is wrong", id=f"{n:016x}", tags=["odd" if n % 2 else "even"]) for n in range(4)]
    records[0]["slug"] = records[1]["slug"] = "shared"
    records.append(record("fine", "never matches itself", id="f" * 16, errorClass="KeyError", severity="warning"))
    lines = [json.dumps(each) for each in records] + ["{not json"]
    (folder / "mine.jsonl").write_text("\n".join(lines), "utf-8")
    with serve(create_app(Settings(sources=str(folder / "mine.jsonl"), cache_dir=str(folder)))) as client:
        yield client


def test_explain_answers_with_the_one_object_of_the_design(client: TestClient) -> None:
    body = client.post("/v1/explain", json={"text": TRACEBACK}).json()
    assert set(body) == {"datasets", "findings", "exceptions", "nearest", "wrapper", "truncated", "growing"}
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


def test_plain_text_is_read_and_markdown_is_answered_when_asked_for(client: TestClient) -> None:
    headers = {"content-type": "text/plain; charset=utf-8", "accept": "text/markdown"}
    response = client.post("/v1/explain", content=MESSAGE.encode() + b"\xff\x00", headers=headers)
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.text.startswith("# Blocking backward sync is only possible")


def test_spans_count_utf16_units_when_asked_for(client: TestClient) -> None:
    text = "😀 " + MESSAGE
    spans = [
        client.post("/v1/explain", params=query, json={"text": text}).json()["findings"][0]["spans"][0]["start"]
        for query in ({}, {"offsets": "utf16"})
    ]
    assert spans == [2, 3]


def test_a_batch_answers_each_text_on_its_own(client: TestClient) -> None:
    answers = client.post("/v1/explain:batch", json={"texts": [MESSAGE, "all is well"]}).json()["answers"]
    assert [[finding["record"]["id"] for finding in answer["findings"]] for answer in answers] == [[SEED], []]


def test_a_diagnosis_says_where_text_and_record_part(client: TestClient) -> None:
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
def test_every_error_has_one_shape_and_never_echoes_the_paste(
    client: TestClient, method: str, path: str, options: dict[str, Any], status: int
) -> None:
    response = client.request(method, path, **options)
    assert problem_of(response)[0] == status
    assert SECRET not in response.text


def test_a_method_that_is_not_allowed_names_those_that_are(client: TestClient) -> None:
    assert client.put("/v1/explain").headers["allow"] == "POST"


def test_every_error_of_ours_has_a_status() -> None:
    assert set(WhyraiseError.__subclasses__()) == set(problems.STATUSES)


def test_a_crash_is_a_problem_and_neither_answer_nor_log_holds_the_paste(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError(SECRET)

    with caplog.at_level(logging.ERROR):
        response = serve(Guard(broken, 10)).get("/")
    assert problem_of(response) == (500, "The service failed on this request. Nothing of it was stored.")
    assert "RuntimeError at broken:" in caplog.text
    assert SECRET not in caplog.text


def test_head_answers_as_get_without_a_body(client: TestClient) -> None:
    get, head = client.get("/v1/limits"), client.head("/v1/limits")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", get.headers["content-length"])


def test_records_are_listed_page_by_page_in_the_order_of_their_ids(many: TestClient) -> None:
    first = many.get("/v1/records", params={"limit": 3})
    following = first.links["next"]["url"]
    second = many.get(following).json()
    ids = [each["record"]["id"] for page in (first.json(), second) for each in page["records"]]
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
    assert [each["record"]["id"] for each in found] == [f"{n:016x}" for n in ids]


def test_a_slug_that_several_records_share_answers_with_their_ids(many: TestClient) -> None:
    response = many.get("/v1/records/example/thing/shared")
    assert (response.status_code, response.json()) == (300, {"ids": [f"{n:016x}" for n in range(2)]})
    assert many.get("/v1/records/example/thing/the-number-2-is-wrong").json()["record"]["id"] == f"{2:016x}"


def test_a_record_that_the_caller_has_is_not_sent_again(many: TestClient) -> None:
    first = many.get(f"/v1/records/{1:016x}")
    again = many.get(f"/v1/records/{1:016x}", headers={"if-none-match": f'"x", W/{first.headers["etag"]}'})
    text = many.get(
        f"/v1/records/{1:016x}", headers={"accept": "text/markdown", "if-none-match": first.headers["etag"]}
    )
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert (text.status_code, text.headers["vary"]) == (200, "Accept")


def test_the_data_set_says_what_was_set_aside_and_what_cannot_be_matched(many: TestClient) -> None:
    body = many.get("/v1/dataset").json()
    [fault] = body["setAside"]
    assert (body["records"], Path(fault["file"].partition(":")[0]).name, fault["pointer"]) == (5, "mine.jsonl", "")
    reason = "the pattern does not match the record's own errorMessage"
    assert body["unmatched"] == [{"id": "f" * 16, "reason": reason}]
    ready = many.get("/readyz").json()
    assert (ready["ready"], ready["records"], ready["setAside"], len(ready["reasons"])) == (True, 5, 1, 1)


def test_a_record_that_cannot_be_matched_is_served_by_id(many: TestClient) -> None:
    assert many.get(f"/v1/records/{'f' * 16}").json()["record"]["errorMessage"] == "fine"


def test_a_service_without_a_valid_record_is_alive_and_not_ready(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": 3}\n', "utf-8")
    with serve(create_app(Settings(sources=str(tmp_path / "bad.jsonl"), cache_dir=str(tmp_path)))) as client:
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["ready"], client.get("/livez").status_code) == (503, False, 200)


def test_limits_are_those_of_the_settings(client: TestClient) -> None:
    assert client.get("/v1/limits").json() == {
        "maxBodyBytes": 100_000, "maxBatchTexts": 3, "maxToolBytes": 2097152, "largePasteBytes": 262144,
        "largePasteQueue": 8, "maxFindings": 10,
    }  # fmt: skip


def test_the_version_comes_with_the_digest_of_what_is_known(client: TestClient) -> None:
    assert client.get("/version").json()["digest"] == client.get("/v1/dataset").json()["digest"]


def test_large_pastes_wait_for_each_other_and_small_ones_do_not() -> None:
    lane, inside, leave = Lane(large_bytes=10, queue=0), threading.Event(), threading.Event()

    def large() -> None:
        with lane.enter(11):
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=large)
    thread.start()
    assert inside.wait(10)
    with lane.enter(10):
        pass
    with pytest.raises(Busy), lane.enter(11):
        pass
    leave.set()
    thread.join()
    with lane.enter(11):
        pass


def test_a_full_lane_is_answered_with_when_to_come_back() -> None:
    from fastapi import FastAPI  # noqa: PLC0415

    app = FastAPI()
    problems.install(app)

    @app.get("/")
    def busy() -> None:
        raise Busy("Too much is waiting.")

    response = serve(app).get("/")
    assert (problem_of(response), response.headers["retry-after"]) == ((503, "Too much is waiting."), "5")


def test_a_setting_that_is_no_number_is_named() -> None:
    from whyraise.settings import from_environment  # noqa: PLC0415

    with pytest.raises(BadInput, match=r"WHYRAISE_MAX_FINDINGS is 'many'; give a whole number, 0 or more\."):
        from_environment({"WHYRAISE_MAX_FINDINGS": "many"})
