"""`/mcp` accepts only configured hosts and origins, and pastes never appear in logs and errors."""

import asyncio
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from starlette.testclient import TestClient

from tests.support.http import SECRET, problem_of, serve
from tests.support.mcp import INITIALIZE
from tests.support.seed import TRACEBACK
from whyraise.chat import mcp_transport
from whyraise.chat.tools import Result
from whyraise.cli import main
from whyraise.main import create_app
from whyraise.settings import Settings

HEADERS = {"accept": "application/json, text/event-stream", "host": "localhost:8000"}


def tool_call(text: str) -> dict[str, Any]:
    params = {"name": "explain_error", "arguments": {"text": text}}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        mine="off",
        cache_dir=str(tmp_path_factory.mktemp("cache")),
        max_tool_bytes=50_000,
        mcp_hosts="localhost, errors.example.org",
        mcp_origins="https://chat.example.org",
    )
    with serve(create_app(settings)) as client:
        yield client


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "errors.example.org"}, 200),
        ({"host": "errors.example.org:443"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "errors.example.org.evil.example"}, 421),
        ({"host": "127.0.0.1"}, 421),  # not in the settings of this service
        ({"origin": "https://chat.example.org"}, 200),
        ({"origin": "https://chat.example.org:8443"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_only_hosts_and_origins_in_the_settings_are_answered(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    assert client.post("/mcp", json=INITIALIZE, headers={**HEADERS, **headers}).status_code == status


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "OPTIONS"])
def test_only_post_is_allowed_so_that_no_stream_stays_open(client: TestClient, method: str) -> None:
    response = client.request(method, "/mcp", headers=HEADERS)
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_the_route_is_exact(client: TestClient) -> None:
    assert problem_of(client.post("/mcp/", json=INITIALIZE, headers=HEADERS))[0] == 404
    assert "/mcp" not in client.get("/openapi.json").json()["paths"]


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    assert client.post("/mcp", json=tool_call("x" * 60_000), headers=HEADERS).status_code == 413
    assert client.post("/mcp", json=tool_call("x" * 40_000), headers=HEADERS).status_code == 200


def request(method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


# The SDK answers the first two before it knows the method, and its error message contains the invalid input.
@pytest.mark.parametrize(
    ("body", "echoes"),
    [
        (json.dumps([SECRET]).encode(), True),
        (request(SECRET, {}), True),
        (request("tools/call", {})[:-1] + SECRET.encode(), False),
        (request("tools/call", {"name": 3, "arguments": SECRET}), False),
        (request("tools/call", {"name": "explain_error", "arguments": [SECRET]}), False),
        (request("prompts/get", {"name": "debug_error", "arguments": {"text": [SECRET]}}), False),
    ],
)
def test_an_invalid_request_is_refused_and_not_logged(
    client: TestClient, body: bytes, echoes: bool, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {**HEADERS, "content-type": "application/json", "mcp-protocol-version": "2025-11-25"}
    with caplog.at_level(logging.INFO):
        response = client.post("/mcp", content=body, headers=headers)
    assert "error" in response.json()
    assert (SECRET in response.text) == echoes
    assert SECRET not in caplog.text


def test_a_paste_is_not_logged(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    headers = {**HEADERS, "mcp-protocol-version": "2025-11-25"}
    with caplog.at_level(logging.INFO):
        answer = client.post("/mcp", json=tool_call(TRACEBACK.replace("torch.nn.Linear", SECRET)), headers=headers)
    assert SECRET in answer.text
    assert SECRET not in caplog.text


def test_a_crash_is_an_answer_and_neither_answer_nor_log_holds_the_paste(caplog: pytest.LogCaptureFixture) -> None:
    def broken(name: str, arguments: object) -> Result:
        raise RuntimeError(f"{name} {arguments}")

    async def request_all() -> list[str]:
        async with Client(mcp_transport.build(broken)) as client:
            result = await client.call_tool("explain_error", {"text": SECRET})
            assert result.is_error
            with pytest.raises(MCPError) as error:
                await client.get_prompt("debug_error", {"text": SECRET})
            [content] = result.content
            return [getattr(content, "text", ""), error.value.message]

    with caplog.at_level(logging.INFO):
        messages = asyncio.run(request_all())
    assert messages == ["The service failed on this call. Nothing of it was stored."] * 2
    assert "RuntimeError at broken:" in caplog.text
    assert SECRET not in caplog.text


def test_without_the_extra_the_rest_is_served_and_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with serve(create_app(Settings(mine="off", cache_dir=str(tmp_path)))) as client:
        assert client.post("/mcp", json=INITIALIZE, headers=HEADERS).status_code == 404
        assert client.get("/v1/tools").status_code == 200
    assert main.main(["mcp"]) == 2
    assert capsys.readouterr().err == "whyraise: MCP needs the extra `mcp`: pip install 'whyraise[mcp]'.\n"
