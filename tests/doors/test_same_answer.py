"""Every door gives the same answer: the same findings in the same order, with the same captures and verdicts.

A door is a function from pastes to what was found in each; another one is another entry of `DOORS`.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from markdown_it import MarkdownIt

from tests.support.mcp import connected
from tests.support.pytest_runs import output_of, sections
from tests.support.repository import RECORDS
from tests.support.serving import live
from whyraise.knowledge.catalog import open_sources
from whyraise.lookup.explain import explain
from whyraise.records import verdict
from whyraise.records.sources import bundled_records
from whyraise.reporters.summary import cut
from whyraise.settings import Settings

MARK = ">>> "
# Every fourth of the pastes that must be blamed on a record, and pastes that must not: some of those have no answer.
MATCHING = sorted(RECORDS.glob("*/*/*/match/*.log"))[::4][:24]
LOOKALIKE = sorted(RECORDS.glob("*/*/*/lookalike/*.log"))[:6]
LIMIT = 3


class Found(NamedTuple):
    """What a door says of one finding."""

    id: str
    confidence: str
    captures: list[tuple[str, str]]
    verdict: str


class Place(NamedTuple):
    """Where the doors are: the service's address, and the cache that all share."""

    address: str
    cache: str


Answers = list[list[Found]]
Door = Callable[[Sequence[str], Place], Answers]


def _pastes() -> list[str]:
    texts = [path.read_text("utf-8") for path in (*MATCHING, *LOOKALIKE)]
    return ["\n".join(line.removeprefix(MARK) for line in text.splitlines()) for text in texts]


def _line(value: str) -> str:
    """Return a value as doors of one line show it."""
    return " ".join(value.split())


def _of_json(answer: Any) -> list[Found]:
    return [
        Found(
            each["record"]["id"],
            each["confidence"],
            [(_line(one["name"]), _line(one["value"])) for one in each["captures"]],
            each["proofSays"],
        )
        for each in answer["findings"]
    ]


def _of_tool(answer: Any, text: str) -> list[Found]:
    """Return what the data of a tool's answer says, and check that its text says it too."""
    assert answer["others"] == []
    found = [
        Found(
            each["citation"]["id"],
            each["confidence"],
            [(_line(one["name"]), _line(one["value"])) for one in each["quoted"]["captures"]],
            each["verdict"]["says"],
        )
        for each in answer["findings"]
    ]
    sections = re.split(r"^# Known error \d+: ", text, flags=re.M)[1:]
    assert len(sections) == len(found)
    for section, one in zip(sections, found, strict=True):
        assert section.startswith(one.confidence)
        assert all(said in section for said in (f"record {one.id}\n", one.verdict))
        assert all(f"{name} = {value}" in _line(section) for name, value in one.captures)
    return found


def _of_markdown(text: str) -> list[Found]:
    return [
        _of_section(section) for section in re.split(r"^---$", text, flags=re.M) if "# Nothing known" not in section
    ]


def _of_section(section: str) -> Found:
    inlines = [token for token in MarkdownIt().parse(section) if token.type == "inline"]
    [confidence] = re.findall(r"^\*\*(\w+)\*\*, line", section, re.M)
    [identity] = re.findall(r"^Record `([^`]+)`", section, re.M)
    [words] = re.findall(r"^(?:Proven|Corrected|Published|No fix is published).*\.$", section, re.M)
    captures = []
    for token in inlines:
        codes = [child.content for child in token.children or () if child.type == "code_inline"]
        if re.fullmatch(r"`.*` = `.*`", token.content) and len(codes) == 2:
            captures.append((codes[0], codes[1]))
    return Found(identity, confidence, captures, words)


def http_json(pastes: Sequence[str], place: Place) -> Answers:
    answers = (httpx.post(f"{place.address}/v1/explain?limit={LIMIT}", json={"text": text}) for text in pastes)
    return [_of_json(answer.json()) for answer in answers]


def http_markdown(pastes: Sequence[str], place: Place) -> Answers:
    headers = {"accept": "text/markdown"}
    return [
        _of_markdown(httpx.post(f"{place.address}/v1/explain?limit={LIMIT}", json={"text": text}, headers=headers).text)
        for text in pastes
    ]


def tool_json(pastes: Sequence[str], place: Place) -> Answers:
    answers = []
    for text in pastes:
        arguments = {"text": text, "detail": "detailed"}
        answer = httpx.post(f"{place.address}/v1/tools/explain_error", json=arguments).json()
        answers.append(_of_tool(answer["structured"], answer["content"]))
    return answers


def mcp(transport: str, mode: str, pastes: Sequence[str], place: Place) -> Answers:
    async def asked() -> Answers:
        async with connected(transport, mode, place.address, place.cache) as client:
            results: list[Any] = [
                await client.call_tool("explain_error", {"text": text, "detail": "detailed"}) for text in pastes
            ]
        return [_of_tool(result.structured_content, result.content[0].text) for result in results]

    return asyncio.run(asked())


def command_line(form: str, pastes: Sequence[str], place: Place) -> Answers:
    environment = {**os.environ, "WHYRAISE_MINE": "off", "WHYRAISE_CACHE_DIR": place.cache}
    command = [sys.executable, "-m", "whyraise", "explain", form, "--limit", str(LIMIT), "-"]
    answers = []
    for text in pastes:
        done = subprocess.run(command, input=text.encode(), env=environment, capture_output=True, check=False)
        said = done.stdout.decode()
        answers.append(_of_json(json.loads(said)) if form == "--json" else _of_markdown(said))
        assert done.returncode == (0 if answers[-1] else 1)
    return answers


# The page is compared in tests/doors/page, and the pytest plugin below, which shows no more than it is sure of.
DOORS: dict[str, Door] = {
    "HTTP": http_json,
    "HTTP as Markdown": http_markdown,
    "tool": tool_json,
    **{
        f"MCP over {transport}, {mode}": partial(mcp, transport, mode)
        for transport in ("stdio", "http")
        for mode in ("auto", "legacy")
    },
    "command line": partial(command_line, "--json"),
    "command line as Markdown": partial(command_line, "--md"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    cache = str(tmp_path_factory.mktemp("cache"))
    with live(Settings(mine="off", cache_dir=cache)) as address:
        yield Place(f"http://{address}", cache)


@pytest.fixture(scope="module")
def expected(place: Place) -> Answers:
    """What the one function says that all doors call."""
    catalog = open_sources([bundled_records()], place.cache)
    answers = []
    for text in _pastes():
        found = explain(text, catalog, limit=LIMIT).findings
        answers.append(
            [
                Found(
                    each.record.id,
                    each.confidence,
                    [(_line(one.name), _line(one.value)) for one in each.captures],
                    verdict.words(each.record),
                )
                for each in found
            ]
        )
    return answers


def test_thirty_pastes_say_enough_to_compare(expected: Answers) -> None:
    assert len(expected) == 30
    assert sum(bool(answer) for answer in expected[: len(MATCHING)]) == len(MATCHING)
    assert sum(bool(found.captures) for answer in expected for found in answer) >= 15
    blamed = [json.loads((path.parent.parent / "record.json").read_text("utf-8"))["record"]["id"] for path in MATCHING]
    assert [answer[0].id for answer in expected[: len(MATCHING)]] == blamed


@pytest.mark.parametrize("name", DOORS)
def test_every_door_gives_the_same_answer(name: str, place: Place, expected: Answers) -> None:
    assert DOORS[name](_pastes(), place) == expected


# A worker of pytest-xdist sends what its tests raised in this way.
SENT = """
import json, pathlib, pytest
TEXTS = json.loads(pathlib.Path(__file__).with_name("texts.json").read_text("utf-8"))
@pytest.hookimpl(hookwrapper=True)
def pytest_exception_interact(call, report):
    yield
    report.whyraise_traceback = TEXTS[int(report.nodeid.rpartition("_")[2])]
"""


def test_the_pytest_plugin_says_the_same_of_what_it_is_sure_of(place: Place, expected: Answers, tmp_path: Path) -> None:
    pastes = _pastes()
    (tmp_path / "texts.json").write_text(json.dumps(pastes), "utf-8")
    (tmp_path / "conftest.py").write_text(SENT, "utf-8")
    tests = "".join(f"def test_{number}():\n    assert False\n" for number in range(len(pastes)))
    (tmp_path / "test_all.py").write_text(tests, "utf-8")
    shown = sections(output_of(tmp_path, Path(place.cache), WHYRAISE_MINE="off"))
    for number, answer in enumerate(expected):
        sure = [found for found in answer if found.confidence != "possible"]
        section = shown[str(number)]
        assert bool(section) == bool(sure)
        if sure:
            first, *others = sure
            lines = [line.strip() for line in section.splitlines()]
            assert lines[0].startswith(f"whyraise: {first.confidence}: ")
            assert [line for line in lines if " = " in line][: len(first.captures)] == [
                f"{name} = {cut(value)}" for name, value in first.captures
            ]
            assert first.verdict in lines
            assert any(line.startswith(f"record {first.id} (") for line in lines)
            also = re.findall(r"(?m)^  also (\w+): .* \((\w+)\)$", section)
            assert also == [(found.confidence, found.id) for found in others]
