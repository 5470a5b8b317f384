"""Many clients at once, and clients that are killed."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from tests.support.mcp import INITIALIZE, command, structured
from tests.support.seed import SEED, TRACEBACK

CLIENTS = 16


@contextmanager
def served(cache: Path) -> Iterator[tuple[str, int]]:
    """Serve in a separate process, and yield its address and process id."""
    program = (
        "import socket, sys, uvicorn; from whyraise.main import create_app; s = socket.create_server(('127.0.0.1', 0));"
        "print(s.getsockname()[1], flush=True);"
        "uvicorn.Server(uvicorn.Config(create_app(), log_level='warning')).run(sockets=[s])"
    )
    environment = {**os.environ, "WHYRAISE_MINE": "off", "WHYRAISE_CACHE_DIR": str(cache)}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}", server.pid
        server.terminate()


async def _ask(target: object, mode: str, rounds: int) -> int:
    """Call the tools in turn, check each answer, and return the number of answers."""
    answered = 0
    async with Client(target, mode=mode) as client:  # type: ignore[arg-type]
        for _ in range(rounds):
            explained = structured(await client.call_tool("explain_error", {"text": TRACEBACK}))
            recorded = structured(await client.call_tool("get_record", {"id": SEED}))
            searched = structured(await client.call_tool("search_records", {"query": "backward sync"}))
            found = (explained["findings"][0], recorded["record"], searched["records"][0])
            assert [entry["citation"]["id"] for entry in found] == [SEED] * 3
            answered += 3
    return answered


async def _ask_concurrently(targets: list[object], rounds: int) -> list[int]:
    calls = (_ask(target, ("auto", "legacy")[number % 2], rounds) for number, target in enumerate(targets))
    return await asyncio.gather(*calls)


@pytest.mark.parametrize("rounds", [1, pytest.param(50, marks=pytest.mark.long)])
def test_sixteen_clients_at_once_get_every_answer_over_http(rounds: int, tmp_path: Path) -> None:
    with served(tmp_path) as (address, _):
        answered = asyncio.run(_ask_concurrently([f"{address}/mcp"] * CLIENTS, rounds))
    assert answered == [3 * rounds] * CLIENTS


@pytest.mark.long
def test_sixteen_clients_at_once_get_every_answer_over_stdio(tmp_path: Path) -> None:
    targets: list[object] = [stdio_client(command(str(tmp_path))) for _ in range(CLIENTS)]
    assert asyncio.run(_ask_concurrently(targets, 50)) == [150] * CLIENTS


# Calls a tool, prints that it was answered, and then calls it forever.
CLIENT = """
import asyncio, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main(target, text):
    async with Client(target) as client:
        await client.call_tool("explain_error", {"text": text})
        print("answered", flush=True)
        while True:
            await asyncio.gather(*(client.call_tool("explain_error", {"text": text}) for _ in range(4)))

address, text = sys.argv[1], "all is well\\n" * int(sys.argv[2])
server = [sys.executable, "-c", "import os, sys; print(os.getpid(), file=open(sys.argv[1], 'w')); "
          "from whyraise.cli.main import main; sys.exit(main(['mcp']))", address]
asyncio.run(main(address if address.startswith("http") else stdio_client(
    StdioServerParameters(command=server[0], args=server[1:], env=dict(__import__("os").environ)),
    errlog=open(address + ".err", "w")), text))
"""


@contextmanager
def killed_client(target: str, lines: int, cache: Path) -> Iterator[None]:
    """Start a client that calls a tool forever, run the test, and kill the client during a call."""
    environment = {**os.environ, "WHYRAISE_MINE": "off", "WHYRAISE_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", CLIENT, target, str(lines)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "answered\n"
        yield
        client.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("lines", [1, 60_000])
def test_the_server_of_a_killed_client_ends_and_leaves_nothing(lines: int, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    target = tmp_path / "server"
    with killed_client(str(target), lines, cache):
        server = os.pidfd_open(int(target.read_text("utf-8")))
        files = sorted(cache.rglob("*"))
    assert select.select([server], [], [], 20) == ([server], [], [])
    os.close(server)
    assert sorted(cache.rglob("*")) == files
    assert Path(f"{target}.err").read_text("utf-8") == ""


def test_a_closed_output_is_not_an_error(tmp_path: Path) -> None:
    environment = {**os.environ, "WHYRAISE_MINE": "off", "WHYRAISE_CACHE_DIR": str(tmp_path)}
    reader, writer = os.pipe()
    os.close(reader)
    serving = [sys.executable, "-m", "whyraise", "mcp"]
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE["params"]}) + "\n"
    done = subprocess.run(
        serving, input=message.encode(), stdout=writer, stderr=subprocess.PIPE, env=environment, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("lines", [1, 60_000])
def test_a_killed_client_of_the_service_leaves_no_connection_and_no_place_in_the_lane(
    lines: int, tmp_path: Path
) -> None:
    with served(tmp_path) as (address, server), httpx.Client(base_url=address, timeout=60) as other_client:
        other_client.get("/livez")
        before = len(os.listdir(f"/proc/{server}/fd"))
        with killed_client(f"{address}/mcp", lines, tmp_path):
            assert len(os.listdir(f"/proc/{server}/fd")) > before
        for _ in range(1_000):
            other_client.get("/livez")
            if len(os.listdir(f"/proc/{server}/fd")) == before:
                break
        assert len(os.listdir(f"/proc/{server}/fd")) == before
        large = {"text": "all is well\n" * 60_000}
        answers = [other_client.post("/v1/tools/explain_error", json=large).status_code for _ in range(3)]
        assert answers == [200] * 3
