"""One answer, whichever door is opened: 40 pastes through every door of a machine that knows all kinds of records.

Written against the doors alone (processes, HTTP, MCP), so that the same file runs on any version of the program.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

RECORDS = Path(__file__).parents[2] / "records"
LIMIT = 3
# Packages that are mined whole, and packages of which only the files are known that a paste's frames name.
MINED, NOT_MINED = ("iniconfig", "h11", "idna", "packaging"), ("click", "starlette")
RAISES = {
    "iniconfig": (
        "iniconfig.IniConfig('x', '[a')",
        "iniconfig.IniConfig('x', 'b = 1')",
        "iniconfig.IniConfig('x', '[s]\\n  a')",
    ),
    "h11": ("h11.Request(method='GET', target='/', headers=[])", "h11.Response(status_code=99, headers=[])"),
    "idna": ("idna.encode('\\u2260')", "idna.encode('')"),
    "packaging": ("import packaging.version; packaging.version.Version('x')",),
    "click": ("click.Option(['a'])", "click.Argument(['a', 'b'])"),
    "starlette": (
        "import starlette.config; starlette.config.Config().get('A')",
        "import starlette.routing; starlette.routing.Route('a', None)",
    ),
}
OWN = {
    "the flux capacitor at {place} is cold": "the flux capacitor at garage-7 is cold",
    "no gigawatts left for {name}": "no gigawatts left for marty",
    "plutonium {number} is not delivered yet": "plutonium 42 is not delivered yet",
    # The text of a curated record: the team's own knowledge of it comes first.
    "pop from empty list": "pop from empty list",
}
NOTHING = ("all is well here", "the weather was fine on Tuesday, and nobody complained", "step 1 loss 0.25")


class Finding(NamedTuple):
    """What a door says of one finding."""

    id: str
    confidence: str
    captures: list[tuple[str, str]]
    advice: list[str] | None


class Answer(NamedTuple):
    """What a door says of one paste; None is what a door does not show."""

    findings: list[Finding]
    growing: list[str] | None
    muted: int | None


class Machine(NamedTuple):
    """Where the doors are: the environment of processes, the address of the service, and the pastes."""

    environment: Mapping[str, str]
    address: str
    folder: Path


Door = Callable[[Sequence[str], Machine], list[Answer]]


def run(arguments: Sequence[str], machine: Machine, text: str = "") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "whyraise", *arguments]
    return subprocess.run(
        command, input=text.encode(), env=machine.environment, cwd=machine.folder, capture_output=True, check=False
    )


def record(template: str) -> dict[str, object]:
    pattern = re.sub(r"\\\{.+?\\\}", "(.+?)", re.escape(template))
    slug = "-".join(re.findall("[a-z]+", template))
    return {
        "id": hashlib.sha256(template.encode()).hexdigest()[:16],
        "repo": "team/machine",
        "slug": slug,
        "errorMessage": template,
        "messagePattern": pattern,
        "errorType": "runtime",
        "errorClass": "IndexError" if "pop" in template else "RuntimeError",
        "severity": "error",
        "filePath": "me/drive.py",
        "lineNumber": 1,
        "solutions": [f"Ask the doctor ({slug})."],
        "preventionTips": [],
        "tags": [],
        "analyzedAt": "2026-01-01T00:00:00.000Z",
        "schemaVersion": 2,
    }


def blamed(path: Path) -> str:
    return str(json.loads((path.parents[1] / "record.json").read_text("utf-8"))["record"]["id"])


def unmarked(path: Path) -> str:
    return "\n".join(line.removeprefix(">>> ") for line in path.read_text("utf-8").splitlines())


MATCHING = sorted(RECORDS.glob("*/*/*/match/*.log"))[::6][:20]
CURATED, MUTED = MATCHING[:16], MATCHING[16:20]


def raised(package: str, code: str) -> str:
    """Return the traceback that code prints."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {package}\n{code}"], capture_output=True, text=True, check=False
    )
    assert "Traceback" in done.stderr, (code, done.stderr)
    return done.stderr


@pytest.fixture(scope="module")
def pastes() -> list[str]:
    texts = [unmarked(path) for path in (*CURATED, *MUTED)]
    texts += [raised(package, code) for package, codes in RAISES.items() for code in codes]
    texts += [
        f'Traceback (most recent call last):\n  File "/home/me/drive.py", line 3, in go\n    go()\n'
        f"{'IndexError' if 'pop' in message else 'RuntimeError'}: {message}\n"
        for message in OWN.values()
    ]
    texts += [f"{text}\n" for text in NOTHING]
    # What no frame names a place for, and two errors in one log.
    texts.append("\n".join([unmarked(CURATED[0]), raised("iniconfig", RAISES["iniconfig"][0])]))
    return texts


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with bundled, own, muted and mined records, on which somebody mines two more packages for ever."""
    folder = tmp_path_factory.mktemp("machine")
    cache, own = folder / "cache", folder / "own"
    own.mkdir()
    (own / "team.jsonl").write_text("".join(json.dumps(record(template)) + "\n" for template in OWN), "utf-8")
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("WHYRAISE_", "PYTEST_", "COV_", "COVERAGE_"))
    }
    environment |= {"WHYRAISE_CACHE_DIR": str(cache)}
    here = Machine(environment, "", folder)
    done = run(["grow", *MINED], here)
    assert done.returncode == 0, done.stderr
    environment |= {"WHYRAISE_SOURCES": str(own), "WHYRAISE_MUTE": ",".join(map(blamed, MUTED))}
    with open(cache / "grow.lock", "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with serving(here) as address:
            yield here._replace(address=address)


@contextmanager
def serving(machine: Machine) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "whyraise", "serve", "--port", str(port)]
    with subprocess.Popen(
        command, env=machine.environment, cwd=machine.folder, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if "running on" in line:
                break
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.stderr.read()


def line(value: object) -> str:
    return " ".join(str(value).split())


def of_json(answer: Any) -> Answer:
    findings = [
        Finding(
            found["record"]["id"],
            found["confidence"],
            [(line(capture["name"]), line(capture["value"])) for capture in found["captures"]],
            [line(advice["text"]) for advice in found["advice"]] if "advice" in found else None,
        )
        for found in answer["findings"]
    ]
    return Answer(findings, sorted(answer["growing"]), answer.get("muted"))


def of_tool(answer: Any) -> Answer:
    findings = [
        Finding(
            found["citation"]["id"],
            found["confidence"],
            [(line(capture["name"]), line(capture["value"])) for capture in found["quoted"]["captures"]],
            None,
        )
        for found in answer["findings"]
    ]
    findings += [Finding(other["citation"]["id"], other["confidence"], [], None) for other in answer["others"]]
    return Answer(findings, None, None)


def of_lines(text: str) -> Answer:
    findings = [json.loads(entry) for entry in text.splitlines()]
    return Answer([Finding(found["code"], found["confidence"], [], None) for found in findings], None, None)


def command_line(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    command = ["explain", "--json", "--limit", str(LIMIT), "-"]
    return [of_json(json.loads(run(command, machine, text).stdout)) for text in pastes]


def through_a_server(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    command = ["explain", "--json", "--limit", str(LIMIT), "--url", machine.address, "--as-is", "-"]
    return [of_json(json.loads(run(command, machine, text).stdout)) for text in pastes]


def failed_command(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    answers = []
    for text in pastes:
        (machine.folder / "output.log").write_text(text, "utf-8")
        run(["run", "--jsonl", "found.jsonl", "--", "sh", "-c", "cat output.log; exit 3"], machine)
        answers.append(of_lines((machine.folder / "found.jsonl").read_text("utf-8")))
    return answers


def http(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    address = f"{machine.address}/v1/explain?limit={LIMIT}"
    return [of_json(httpx.post(address, json={"text": text}, timeout=60).json()) for text in pastes]


def http_batch(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    address = f"{machine.address}/v1/explain:batch?limit={LIMIT}"
    return [of_json(each) for each in httpx.post(address, json={"texts": pastes}, timeout=60).json()["answers"]]


def tool(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    address = f"{machine.address}/v1/tools/explain_error"
    given = ({"text": text, "detail": "detailed"} for text in pastes)
    return [of_tool(httpx.post(address, json=each, timeout=60).json()["structured"]) for each in given]


def page(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    """Ask the page; its findings are told by the links to their records, in order."""
    answers = []
    for text in pastes:
        shown = httpx.post(f"{machine.address}/answer", data={"text": text}, timeout=60).text
        found = re.findall(r'data-record="([^"]+)".*?class="confidence c-(\w+)"', shown, re.S)
        answers.append(Answer([Finding(name, sure, [], None) for name, sure in found], None, None))
    return answers


def mcp(transport: str) -> Door:
    def door(pastes: Sequence[str], machine: Machine) -> list[Answer]:
        async def asked() -> list[Answer]:
            parameters = StdioServerParameters(
                command=sys.executable,
                args=["-m", "whyraise", "mcp"],
                env=dict(machine.environment),
                cwd=machine.folder,
            )
            target: Any = stdio_client(parameters) if transport == "stdio" else f"{machine.address}/mcp"
            async with Client(target) as client:
                given = [{"text": text, "detail": "detailed"} for text in pastes]
                return [of_tool((await client.call_tool("explain_error", each)).structured_content) for each in given]

        return asyncio.run(asked())

    return door


# A worker of pytest-xdist sends what its tests raised in this way.
SENT = """
import json, pathlib, pytest
TEXTS = json.loads(pathlib.Path(__file__).with_name("texts.json").read_text("utf-8"))
@pytest.hookimpl(hookwrapper=True)
def pytest_exception_interact(call, report):
    yield
    report.whyraise_traceback = TEXTS[int(report.nodeid.rpartition("_")[2])]
"""


def plugin(pastes: Sequence[str], machine: Machine) -> list[Answer]:
    """Return the first finding of each, which is all that the plugin lists."""
    folder = machine.folder / "tests"
    folder.mkdir(exist_ok=True)
    (folder / "texts.json").write_text(json.dumps(list(pastes)), "utf-8")
    (folder / "conftest.py").write_text(SENT, "utf-8")
    tests = "".join(f"def test_{number}():\n    assert False\n" for number in range(len(pastes)))
    (folder / "test_all.py").write_text(tests, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "whyraise_seconds=90", str(folder)]
    done = subprocess.run(
        command, env=machine.environment, cwd=machine.folder, capture_output=True, text=True, check=False
    )
    answers = [Answer([], None, None) for _ in pastes]
    for sure, name, number in re.findall(r"^(exact|likely) (\S+) \S+::test_(\d+):", done.stdout, re.M):
        answers[int(number)] = Answer([Finding(name, sure, [], None)], None, None)
    return answers


# A program that fails under the hooks, and a notebook whose cells fail; each prints what the hooks read.
FAILING = """
import json, sys, threading, traceback
import whyraise.hooks
def tell(arguments):
    print(json.dumps(traceback.format_exception(arguments.exc_value)))
threading.excepthook = tell
hooks = whyraise.hooks.install(seconds=600)
for code in json.load(sys.stdin):
    thread = threading.Thread(target=exec, args=(code, {}))
    thread.start()
    thread.join()
"""
CELLS = """
import io, json, os, sys, traceback
os.environ["IPYTHONDIR"] = os.getcwd()
import whyraise.hooks
whyraise.hooks._PROMPT_WAIT = 60  # a prompt waits a second, which a busy machine may need for something else
from IPython.core.interactiveshell import InteractiveShell
codes, out = json.load(sys.stdin), sys.stdout
shell = InteractiveShell.instance(colors="nocolor")
shell.run_line_magic("load_ext", "whyraise")
for code in codes:
    sys.stdout = io.StringIO()
    error = shell.run_cell(code).error_in_exec
    sys.stdout = out
    print(json.dumps(traceback.format_exception(error)))
"""


def noted(program: str, machine: Machine) -> tuple[list[str], list[Answer]]:
    """Return what the hooks read of each failure, and the finding that they noted, the first one."""
    raising = "def raising():\n    raise {}({!r})\nraising()"
    codes = [f"import {package}\n{code}" for package, codes in RAISES.items() for code in codes]
    codes += [
        raising.format("IndexError" if "pop" in message else "RuntimeError", message)
        for message in (*OWN.values(), *NOTHING)
    ]
    codes += ["a, b = [1, 2, 3]", "[].pop()", "int('x')", "{}['a']"]
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(codes),
        env=machine.environment,
        cwd=machine.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = [json.loads(printed) for printed in done.stdout.splitlines()]
    assert len(printed) == len(codes), done.stderr
    texts, answers = [], []
    for lines in printed:
        text, _, note = "".join(lines).partition("whyraise: ")
        sure, name = note.partition(":")[0], re.search(r"^ *record (\S+) \(", note, re.M)
        texts.append(text)
        answers.append(Answer([Finding(name[1], sure, [], None)] if name else [], None, None))
    return texts, answers


FULL: dict[str, Door] = {
    "a server": through_a_server,
    "HTTP": http,
    "HTTP, many at once": http_batch,
}
TOOLS: dict[str, Door] = {"tool": tool, "MCP over stdio": mcp("stdio"), "MCP over HTTP": mcp("http")}


@pytest.fixture(scope="module")
def expected(pastes: list[str], machine: Machine) -> list[Answer]:
    """What the command line says, which every other door is held against."""
    return command_line(pastes, machine)


def test_the_pastes_are_of_every_kind(pastes: list[str], expected: list[Answer]) -> None:
    assert len(pastes) == 40
    first = [answer.findings[0].id if answer.findings else "" for answer in expected]
    assert first[: len(CURATED)] == [blamed(path) for path in CURATED]
    assert not {blamed(path) for path in MUTED} & {found.id for answer in expected for found in answer.findings}
    own = [str(record(template)["id"]) for template in OWN]
    assert [name for name in first if name in own] == own
    assert [answer.muted for answer in expected[len(CURATED) : len(MATCHING)]] == [1] * len(MUTED)
    growing = [name.split(" ")[0] for answer in expected for name in answer.growing or ()]
    assert {name: growing.count(name) for name in (*MINED, *NOT_MINED)} == {
        name: len(RAISES[name]) if name in NOT_MINED else 0 for name in (*MINED, *NOT_MINED)
    }
    assert sum(not answer.findings for answer in expected) >= len(NOTHING)


@pytest.mark.parametrize("name", FULL)
def test_a_door_that_shows_all_says_the_same(
    name: str, pastes: list[str], machine: Machine, expected: list[Answer]
) -> None:
    assert FULL[name](pastes, machine) == expected


@pytest.mark.parametrize("name", TOOLS)
def test_a_door_for_models_says_the_same(
    name: str, pastes: list[str], machine: Machine, expected: list[Answer]
) -> None:
    found = [[finding[:3] for finding in answer.findings] for answer in TOOLS[name](pastes, machine)]
    assert found == [[finding[:3] for finding in answer.findings] for answer in expected]


def test_a_failed_command_says_the_same(pastes: list[str], machine: Machine, expected: list[Answer]) -> None:
    found = [[finding[:2] for finding in answer.findings][:LIMIT] for answer in failed_command(pastes, machine)]
    assert found == [[finding[:2] for finding in answer.findings] for answer in expected]


def test_the_page_says_the_same(pastes: list[str], machine: Machine, expected: list[Answer]) -> None:
    found = [[finding[:2] for finding in answer.findings][:LIMIT] for answer in page(pastes, machine)]
    assert found == [[finding[:2] for finding in answer.findings] for answer in expected]


def test_the_pytest_plugin_says_the_same_of_what_it_is_sure_of(
    pastes: list[str], machine: Machine, expected: list[Answer]
) -> None:
    sure = [[found[:2] for found in answer.findings if found.confidence != "possible"][:1] for answer in expected]
    assert [[found[:2] for found in answer.findings] for answer in plugin(pastes, machine)] == sure


@pytest.mark.parametrize("program", [FAILING, CELLS], ids=["hooks", "notebook"])
def test_a_note_says_the_same_of_what_it_is_sure_of(program: str, machine: Machine) -> None:
    texts, answers = noted(program, machine)
    assert sum(bool(answer.findings) for answer in answers) > 15
    expected = command_line(texts, machine)
    sure = [[found[:2] for found in answer.findings if found.confidence != "possible"][:1] for answer in expected]
    assert [[found[:2] for found in answer.findings] for answer in answers] == sure


def test_every_id_is_resolved_by_every_door(machine: Machine, expected: list[Answer]) -> None:
    ids = sorted({found.id for answer in expected for found in answer.findings})
    assert len(ids) > 25
    for name in ids:
        known = json.loads(run(["show", "--json", name], machine).stdout)["record"]
        done = run(["show", f"{known['repo']}/{known['slug']}"], machine)
        slug = (done.stdout + done.stderr).decode()
        resolved = {
            "prefix": json.loads(run(["show", "--json", name[:12]], machine).stdout)["record"]["id"],
            "slug": name if name in slug or "fits several records" in slug else "",
            "search": json.loads(run(["search", "--json", name], machine).stdout)[0]["record"]["id"],
            "diagnose": name if run(["diagnose", name, "-"], machine, "x").returncode in (0, 1) else "",
            "record": httpx.get(f"{machine.address}/v1/records/{name}").json()["record"]["id"],
            "page": name if httpx.get(f"{machine.address}/e/{name}").status_code == 200 else "",
            "tool": httpx.post(f"{machine.address}/v1/tools/get_record", json={"id": name}).json()["structured"][
                "record"
            ]["citation"]["id"],
        }
        assert resolved == dict.fromkeys(resolved, name)
    asyncio.run(resolved_over_mcp(ids, machine))


async def resolved_over_mcp(ids: Sequence[str], machine: Machine) -> None:
    async with Client(f"{machine.address}/mcp") as client:
        for name in ids:
            result: Any = await client.call_tool("get_record", {"id": name})
            assert result.structured_content["record"]["citation"]["id"] == name
