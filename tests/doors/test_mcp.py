"""The official client over both transports, in the current protocol and in the older one with a handshake."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client, MCPError

from tests.support.mcp import connected, structured
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from tests.support.serving import live
from whyraise.chat.schemas import declared
from whyraise.settings import Settings

SECRET = "hunter2-password"
TRANSPORTS_AND_MODES = [(transport, mode) for transport in ("stdio", "http") for mode in ("auto", "legacy")]
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def address(cache: str) -> Iterator[str]:
    with live(Settings(mine="off", cache_dir=cache)) as address:
        yield f"http://{address}"


async def request_everything(client: Client) -> dict[str, object]:
    """Request everything that the server offers."""
    listed = await client.list_tools()
    explained = await client.call_tool("explain_error", {"text": TRACEBACK})
    recorded = await client.call_tool("get_record", {"id": SEED, "detail": "detailed"})
    searched = await client.call_tool("search_records", {"query": "backward sync", "limit": 3})
    [template] = (await client.list_resource_templates()).resource_templates
    [content] = (await client.read_resource(template.uri_template.replace("{id}", SEED))).contents
    [prompt] = (await client.list_prompts()).prompts
    prompted = await client.get_prompt(prompt.name, {"text": TRACEBACK})
    return {
        "version": client.protocol_version,
        "tools": [tool.model_dump(by_alias=True, exclude_unset=True) for tool in listed.tools],
        "found": [finding["citation"]["id"] for finding in structured(explained)["findings"]],
        "record": structured(recorded)["record"]["citation"]["id"],
        "searched": [entry["citation"]["id"] for entry in structured(searched)["records"]],
        "resource equals tool result": getattr(content, "text", "") == text_of(recorded),
        "resources": (await client.list_resources()).resources,
        "prompt": [message.content.text for message in prompted.messages if message.content.type == "text"][2],
    }


def text_of(result: Any) -> str:
    [content] = result.content
    return str(content.text)


@pytest.mark.parametrize(("transport", "mode"), TRANSPORTS_AND_MODES)
def test_the_official_client_gets_all_tools_resources_and_the_prompt(
    transport: str, mode: str, address: str, cache: str
) -> None:
    async def request() -> tuple[dict[str, object], str]:
        async with connected(transport, mode, address, cache) as client:
            explained = await client.call_tool("explain_error", {"text": TRACEBACK})
            return await request_everything(client), text_of(explained)

    answer, text = asyncio.run(request())
    assert answer == {
        "version": VERSIONS[mode],
        "tools": declared("mcp"),
        "found": [SEED],
        "record": SEED,
        "searched": [SEED],
        "resource equals tool result": True,
        "resources": [],
        "prompt": text,
    }


@pytest.mark.parametrize(("transport", "mode"), TRANSPORTS_AND_MODES)
def test_errors_are_text_for_a_model_and_never_repeat_the_input(
    transport: str, mode: str, address: str, cache: str
) -> None:
    async def request() -> list[str]:
        async with connected(transport, mode, address, cache) as client:
            calls = (
                ("explain_error", {SECRET: SECRET}),
                ("explain_error", {"text": MESSAGE, "detail": SECRET}),
                ("get_record", {"id": SECRET}),
                ("search_records", {"query": MESSAGE, "limit": 1000}),
            )
            messages = []
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                assert result.is_error
                messages.append(text_of(result))
            for failing in (
                client.call_tool(SECRET, {}),
                client.read_resource(f"whyraise://records/{SECRET}"),
                client.read_resource(f"file:///{SECRET}"),
                client.get_prompt(SECRET, {"text": SECRET}),
                client.get_prompt("debug_error", {}),
            ):
                with pytest.raises(MCPError) as error:
                    await failing
                messages.append(error.value.message)
            return messages

    messages = asyncio.run(request())
    no_record = "No record has that id. Find one with search_records."
    no_prompt = "There is one prompt, debug_error; give it the error as `text`."
    assert messages == [
        "The arguments of explain_error are invalid: text: Field required; it takes text, detail.",
        "The arguments of explain_error are invalid: detail: Input should be 'concise' or 'detailed'.",
        no_record,
        "The arguments of search_records are invalid: limit: Input should be less than or equal to 20.",
        "There is no such tool. The tools are explain_error, get_record, search_records.",
        no_record,
        no_record,
        no_prompt,
        no_prompt,
    ]
