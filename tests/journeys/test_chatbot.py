"""The example backend: both loops against the live service and a scripted model, and the client against what fails."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import messages_loop
import responses_loop
import whyraise_client
from responses_loop import MOST_TURNS
from tests.support.scripted_model import ScriptedModel
from tests.support.seed import SEED, TRACEBACK
from tests.support.serving import live, serving
from whyraise.settings import Settings
from whyraise_client import AsyncWhyraise, ToolResult, Unavailable, Whyraise

QUESTION = f"My training stops with this, what now?\n\n{TRACEBACK}"
SEARCH: tuple[str, dict[str, Any] | str] = ("search_records", {"query": "backward sync", "limit": 3})
LOOPS = ["responses", "messages"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(mine="off", cache_dir=str(tmp_path_factory.mktemp("cache")), max_tool_bytes=100_000)
    with live(settings) as address:
        yield f"http://{address}"


def replied(loop: str, service: str, model: ScriptedModel, question: str = QUESTION, **options: Any) -> str:
    """Ask a question of one loop, over real connections."""
    with serving(model.app) as address:
        if loop == "responses":
            with Whyraise(service, **options) as whyraise, httpx.Client(base_url=f"http://{address}/v1/") as client:
                return responses_loop.reply(question, whyraise, client, "scripted")
        return asyncio.run(_replied(service, f"http://{address}", question, options))


async def _replied(service: str, address: str, question: str, options: dict[str, Any]) -> str:
    headers = {"anthropic-version": "2023-06-01"}
    async with (
        AsyncWhyraise(service, **options) as whyraise,
        httpx.AsyncClient(base_url=address, headers=headers) as client,
    ):
        return await messages_loop.reply(question, whyraise, client, "scripted")


def looks_up(question: str) -> list[list[tuple[str, dict[str, Any] | str]]]:
    """Explain what stands after the first empty line, then get the record and search, both at once."""
    return [
        [("explain_error", {"text": question.partition("\n\n")[2], "detail": None})],
        [
            ("search_records", {"query": "backward sync", "limit": 3}),
            ("get_record", {"id": SEED, "detail": "detailed"}),
        ],
    ]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_model_gets_the_fix_with_its_verdict_and_citation(loop: str, service: str) -> None:
    model = ScriptedModel(looks_up)
    answer = replied(loop, service, model)
    with Whyraise(service) as whyraise:
        explained = whyraise.call("explain_error", {"text": TRACEBACK})
        searched = whyraise.call("search_records", {"query": "backward sync", "limit": 3})
        recorded = whyraise.call("get_record", {"id": SEED, "detail": "detailed"})
    assert [[_text(result) for result in turn] for turn in model.seen] == [
        [],
        [explained.content],
        [searched.content, recorded.content],
    ]
    assert answer == recorded.content
    assert all(
        text in explained.content for text in (SEED, f"/e/{SEED}", "Corrected: ", "fabric.no_backward_sync(model")
    )


def _text(result: dict[str, Any]) -> str:
    """Return what a model was handed as the result of one call."""
    return str(result["output"] if "output" in result else result["content"][0]["text"])


_LARGE = "x" * 200_000
REFUSED: dict[str, tuple[str, dict[str, Any] | str, str]] = {
    "an unknown tool": ("run_shell", {"command": "id"}, "The tool refused the call: This path does not exist"),
    "a tool's name that is a path": ("../explain", {}, "There is no such tool."),
    "wrong arguments": ("get_record", {"id": 3}, "The tool refused the call: The arguments of get_record are invalid"),
    "an unknown id": ("get_record", {"id": "none"}, "The tool refused the call: No record has that id"),
    "too large a paste": ("explain_error", {"text": _LARGE}, "The tool refused the call: A tool takes 100,000 bytes."),
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_call_is_a_result_that_the_model_reads(loop: str, name: str, service: str) -> None:
    tool, arguments, said = REFUSED[name]
    model = ScriptedModel(lambda _: [[(tool, arguments)]], strict=False)
    assert replied(loop, service, model).startswith(said)
    [result] = model.seen[-1]
    assert result.get("is_error", True) is True


def test_arguments_that_are_no_json_are_told_to_the_model(service: str) -> None:
    model = ScriptedModel(lambda _: [[("explain_error", '{"text": "cut')], [("explain_error", "[]")]])
    assert replied("responses", service, model) == "The arguments are no JSON object."


@pytest.mark.parametrize("loop", LOOPS)
def test_a_model_that_never_answers_is_stopped(loop: str, service: str) -> None:
    model = ScriptedModel(lambda _: [[("search_records", {"query": "x", "limit": None})]] * 20)
    with pytest.raises(RuntimeError, match=rf"called tools for {MOST_TURNS} turns"):
        replied(loop, service, model)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_service_that_is_down_is_said_to_the_model(loop: str, service: str) -> None:
    waits: list[float] = []

    def fails(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json=httpx.get(f"{service}/v1/tools?format={FORMATS[loop]}").json())
        raise httpx.ConnectError("nobody there")

    answer = replied(loop, service, ScriptedModel(looks_up), **failing(loop, fails, waits))
    assert answer == "Whyraise cannot be asked now: ConnectError('nobody there')."
    assert len(waits) == 3 * 3  # three retries of each of three calls


FORMATS = {"responses": "openai", "messages": "anthropic"}


def failing(loop: str, handler: Any, waits: list[float]) -> dict[str, Any]:
    """Return options of a client that meets a handler instead of a network, and notes its waits instead of waiting."""

    async def later(seconds: float) -> None:
        waits.append(seconds)

    sleep: Any = waits.append if loop == "responses" else later
    return {"transport": httpx.MockTransport(handler), "sleep": sleep}


def asked(loop: str, handler: Any, waits: list[float]) -> ToolResult:
    options = failing(loop, handler, waits)
    if loop == "responses":
        with Whyraise("http://service", **options) as whyraise:
            return whyraise.call("explain_error", {"text": "x"})

    async def ask() -> ToolResult:
        async with AsyncWhyraise("http://service", **options) as whyraise:
            return await whyraise.call("explain_error", {"text": "x"})

    return asyncio.run(ask())


def replaying(*responses: httpx.Response | Exception) -> Any:
    """Return a handler that gives one response after the other."""
    left: Iterator[httpx.Response | Exception] = iter(responses)

    def handler(request: httpx.Request) -> httpx.Response:
        response = next(left)
        if isinstance(response, Exception):
            raise response
        return response

    return handler


def fine() -> httpx.Response:
    return httpx.Response(200, json={"content": "known", "structured": {"matched": True}})


@pytest.mark.parametrize("loop", LOOPS)
def test_a_broken_connection_and_a_busy_service_are_tried_again(loop: str) -> None:
    waits: list[float] = []
    busy = httpx.Response(503, headers={"retry-after": "7"})
    handler = replaying(httpx.ReadTimeout("late"), busy, httpx.Response(502), fine())
    assert asked(loop, handler, waits) == ToolResult("known", {"matched": True})
    assert waits[1] == 7.0
    assert (0.25 <= waits[0] < 0.5, 1.0 <= waits[2] < 2.0) == (True, True)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_service_that_stays_busy_is_given_up_and_never_waited_for_long(loop: str) -> None:
    waits: list[float] = []
    busy = [httpx.Response(503, headers={"retry-after": "86400"}) for _ in range(4)]
    with pytest.raises(Unavailable, match="it answers 503"):
        asked(loop, replaying(*busy), waits)
    assert waits == [10.0] * 3


@pytest.mark.parametrize("loop", LOOPS)
def test_a_refusal_is_not_tried_again(loop: str) -> None:
    waits: list[float] = []
    refused = httpx.Response(422, json={"detail": "text: Field required."})
    result = asked(loop, replaying(refused), waits)
    assert result == ToolResult("The tool refused the call: text: Field required.", failed=True)
    assert waits == []


def test_the_client_waits_for_nothing_without_an_end() -> None:
    assert None not in whyraise_client.TIMEOUT.as_dict().values()


def test_the_readme_names_every_file() -> None:
    folder = Path(responses_loop.__file__).parent
    text = (folder / "README.md").read_text("utf-8")
    assert [path.name for path in folder.glob("*.py") if f"`{path.name}`" not in text] == []
