"""Every interface gives the same answer: the same findings in the same order, with the same captures and verdicts.

An interface is tested by a function from pastes to their findings. To test another interface, add it to `INTERFACES`.
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
from whyraise.reporters.summary import truncate
from whyraise.settings import Settings

MARK = ">>> "
# Every fourth paste that must match its record, and pastes that must not match it: some of those have no answer.
MATCHING = sorted(RECORDS.glob("*/*/*/match/*.log"))[::4][:24]
LOOKALIKE = sorted(RECORDS.glob("*/*/*/lookalike/*.log"))[:6]
LIMIT = 3


class Found(NamedTuple):
    """A finding, as an interface shows it."""

    id: str
    confidence: str
    captures: list[tuple[str, str]]
    verdict: str


class Service(NamedTuple):
    """The address of the service, and the cache that all interfaces share."""

    address: str
    cache: str


Answers = list[list[Found]]
Interface = Callable[[Sequence[str], Service], Answers]


def _pastes() -> list[str]:
    texts = [path.read_text("utf-8") for path in (*MATCHING, *LOOKALIKE)]
    return ["\n".join(line.removeprefix(MARK) for line in text.splitlines()) for text in texts]


def _one_line(value: str) -> str:
    """Return a value as interfaces show it that print one line."""
    return " ".join(value.split())


def _of_json(answer: Any) -> list[Found]:
    return [
        Found(
            finding["record"]["id"],
            finding["confidence"],
            [(_one_line(capture["name"]), _one_line(capture["value"])) for capture in finding["captures"]],
            finding["proofSays"],
        )
        for finding in answer["findings"]
    ]


def _of_tool(answer: Any, text: str) -> list[Found]:
    """Return the findings in the data of a tool's answer, and check that its text contains them too."""
    assert answer["others"] == []
    found = [
        Found(
            finding["citation"]["id"],
            finding["confidence"],
            [(_one_line(capture["name"]), _one_line(capture["value"])) for capture in finding["quoted"]["captures"]],
            finding["verdict"]["says"],
        )
        for finding in answer["findings"]
    ]
    sections = re.split(r"^# Known error \d+: ", text, flags=re.M)[1:]
    assert len(sections) == len(found)
    for section, finding in zip(sections, found, strict=True):
        assert section.startswith(finding.confidence)
        assert f"record {finding.id}\n" in section
        assert finding.verdict in section
        assert all(f"{name} = {value}" in _one_line(section) for name, value in finding.captures)
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


def http_json(pastes: Sequence[str], service: Service) -> Answers:
    answers = (httpx.post(f"{service.address}/v1/explain?limit={LIMIT}", json={"text": text}) for text in pastes)
    return [_of_json(answer.json()) for answer in answers]


def http_markdown(pastes: Sequence[str], service: Service) -> Answers:
    headers = {"accept": "text/markdown"}
    url = f"{service.address}/v1/explain?limit={LIMIT}"
    return [_of_markdown(httpx.post(url, json={"text": text}, headers=headers).text) for text in pastes]


def tool_json(pastes: Sequence[str], service: Service) -> Answers:
    answers = []
    for text in pastes:
        arguments = {"text": text, "detail": "detailed"}
        answer = httpx.post(f"{service.address}/v1/tools/explain_error", json=arguments).json()
        answers.append(_of_tool(answer["structured"], answer["content"]))
    return answers


def mcp(transport: str, mode: str, pastes: Sequence[str], service: Service) -> Answers:
    async def request() -> Answers:
        async with connected(transport, mode, service.address, service.cache) as client:
            results: list[Any] = [
                await client.call_tool("explain_error", {"text": text, "detail": "detailed"}) for text in pastes
            ]
        return [_of_tool(result.structured_content, result.content[0].text) for result in results]

    return asyncio.run(request())


def command_line(form: str, pastes: Sequence[str], service: Service) -> Answers:
    environment = {**os.environ, "WHYRAISE_MINE": "off", "WHYRAISE_CACHE_DIR": service.cache}
    command = [sys.executable, "-m", "whyraise", "explain", form, "--limit", str(LIMIT), "-"]
    answers = []
    for text in pastes:
        done = subprocess.run(command, input=text.encode(), env=environment, capture_output=True, check=False)
        output = done.stdout.decode()
        answers.append(_of_json(json.loads(output)) if form == "--json" else _of_markdown(output))
        assert done.returncode == (0 if answers[-1] else 1)
    return answers


# The page is compared in tests/doors/page. The pytest plugin is compared below, because it shows no merely possible
# findings.
INTERFACES: dict[str, Interface] = {
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
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    cache = str(tmp_path_factory.mktemp("cache"))
    with live(Settings(mine="off", cache_dir=cache)) as address:
        yield Service(f"http://{address}", cache)


@pytest.fixture(scope="module")
def expected(service: Service) -> Answers:
    """The answers of the function that all interfaces call."""
    catalog = open_sources([bundled_records()], service.cache)
    answers = []
    for text in _pastes():
        found = explain(text, catalog, limit=LIMIT).findings
        answers.append(
            [
                Found(
                    finding.record.id,
                    finding.confidence,
                    [(_one_line(capture.name), _one_line(capture.value)) for capture in finding.captures],
                    verdict.summary(finding.record),
                )
                for finding in found
            ]
        )
    return answers


def test_the_thirty_pastes_have_enough_findings_to_compare(expected: Answers) -> None:
    assert len(expected) == 30
    assert sum(bool(answer) for answer in expected[: len(MATCHING)]) == len(MATCHING)
    assert sum(bool(found.captures) for answer in expected for found in answer) >= 15
    ids = [json.loads((path.parent.parent / "record.json").read_text("utf-8"))["record"]["id"] for path in MATCHING]
    assert [answer[0].id for answer in expected[: len(MATCHING)]] == ids


@pytest.mark.parametrize("name", INTERFACES)
def test_every_interface_gives_the_same_answer(name: str, service: Service, expected: Answers) -> None:
    assert INTERFACES[name](_pastes(), service) == expected


# Reports have this attribute if a worker of pytest-xdist sends the traceback of a test.
CONFTEST = """
import json, pathlib, pytest
TEXTS = json.loads(pathlib.Path(__file__).with_name("texts.json").read_text("utf-8"))
@pytest.hookimpl(hookwrapper=True)
def pytest_exception_interact(call, report):
    yield
    report.whyraise_traceback = TEXTS[int(report.nodeid.rpartition("_")[2])]
"""


def test_the_pytest_plugin_gives_the_same_answer_without_possible_findings(
    service: Service, expected: Answers, tmp_path: Path
) -> None:
    pastes = _pastes()
    (tmp_path / "texts.json").write_text(json.dumps(pastes), "utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    tests = "".join(f"def test_{number}():\n    assert False\n" for number in range(len(pastes)))
    (tmp_path / "test_all.py").write_text(tests, "utf-8")
    shown = sections(output_of(tmp_path, Path(service.cache), WHYRAISE_MINE="off"))
    for number, answer in enumerate(expected):
        certain = [found for found in answer if found.confidence != "possible"]
        section = shown[str(number)]
        assert bool(section) == bool(certain)
        if certain:
            first, *others = certain
            lines = [line.strip() for line in section.splitlines()]
            assert lines[0].startswith(f"whyraise: {first.confidence}: ")
            assert [line for line in lines if " = " in line][: len(first.captures)] == [
                f"{name} = {truncate(value)}" for name, value in first.captures
            ]
            assert first.verdict in lines
            assert any(line.startswith(f"record {first.id} (") for line in lines)
            also = re.findall(r"(?m)^  also (\w+): .* \((\w+)\)$", section)
            assert also == [(found.confidence, found.id) for found in others]
