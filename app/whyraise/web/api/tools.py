"""`/v1/tools`: the tools of the MCP server, for applications that call a model without MCP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from whyraise.ask.answer import answer
from whyraise.chat import tools
from whyraise.chat.schemas import Format, declared
from whyraise.chat.tools import TOOLS, Backend, Result, Tool
from whyraise.version import VERSION
from whyraise.web.api import models
from whyraise.web.problems import RESPONSES, TooLarge
from whyraise.web.requests import body_schema, read_json
from whyraise.web.responses import MARKDOWN, cache_headers, is_current, json_response, markdown_response, wants_markdown
from whyraise.web.service import Service, ServiceDep

router = APIRouter(prefix="/v1/tools", tags=["tools"], responses=RESPONSES)


def call_tool(service: Service, name: str, arguments: Mapping[str, Any]) -> Result:
    """Call a tool and return its result; large pastes wait for each other, as in every operation."""
    with service.lane.enter(sum(len(value) for value in arguments.values() if isinstance(value, str))):
        return tools.call(name, arguments, _backend(service))


def _backend(service: Service) -> Backend:
    knowledge = service.knowledge
    return Backend(
        lambda text, limit: answer(text, knowledge, limit=limit),
        knowledge.record_of,
        knowledge.search,
        service.settings.public_url,
    )


@router.get("", operation_id="listTools", response_model=models.Tools)
def list_tools(
    request: Request,
    format_: Annotated[
        Format, Query(alias="format", description="The model API that the tools are declared for.")
    ] = "mcp",
) -> Response:
    """Return the tools in the format of a model API, for its parameter `tools`."""
    headers = cache_headers(f"{VERSION}-{format_}")
    if is_current(request, headers):
        return Response(status_code=304, headers=headers)
    return json_response({"tools": declared(format_)}, headers=headers)


def _operation(tool: Tool) -> Callable[..., Any]:
    async def operation(request: Request, service: ServiceDep) -> Response:
        body = await request.body()
        if len(body) > service.settings.max_tool_bytes:
            raise TooLarge(f"A tool takes {service.settings.max_tool_bytes:,} bytes. Send the part around the error.")
        arguments = read_json(models.Arguments, request, body).root
        result = await run_in_threadpool(call_tool, service, tool.name, arguments)
        if wants_markdown(request):
            return markdown_response(result.text)
        return json_response({"content": result.text, "structured": result.structured}, headers={"Vary": "Accept"})

    operation.__doc__ = tool.description
    return operation


for _tool in TOOLS.values():
    router.post(
        f"/{_tool.name}",
        operation_id=_tool.name,
        response_model=models.ToolAnswer[_tool.answer],  # type: ignore[name-defined]
        responses=MARKDOWN,
        openapi_extra=body_schema(_tool.arguments),
    )(_operation(_tool))
