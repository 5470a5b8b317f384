"""`/v1/tools`: the tools of the MCP door, for whoever calls a model without MCP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from whyraise.chat import tools
from whyraise.chat.schemas import Format, declared
from whyraise.chat.tools import TOOLS, Result, Tool, desk_of
from whyraise.version import VERSION
from whyraise.web.api import models
from whyraise.web.problems import RESPONSES, TooLarge
from whyraise.web.requests import body_of, read_json
from whyraise.web.responses import MARKDOWN, fresh, is_known, json_response, markdown_response, wants_markdown
from whyraise.web.service import Service, ServiceDep

router = APIRouter(prefix="/v1/tools", tags=["tools"], responses=RESPONSES)


def answered(service: Service, name: str, arguments: Mapping[str, Any]) -> Result:
    """Return what a tool answers; a large paste waits in its lane as it does everywhere."""
    with service.lane.enter(sum(len(each) for each in arguments.values() if isinstance(each, str))):
        return tools.call(name, arguments, desk_of(service.catalog, service.settings.public_url))


@router.get("", operation_id="listTools", response_model=models.Tools)
def list_tools(
    request: Request,
    format_: Annotated[
        Format, Query(alias="format", description="Whose interface the tools are declared for.")
    ] = "mcp",
) -> Response:
    """Return the tools as an interface wants them declared, for its own parameter `tools`."""
    headers = fresh(f"{VERSION}-{format_}")
    if is_known(request, headers):
        return Response(status_code=304, headers=headers)
    return json_response({"tools": declared(format_)}, headers=headers)


def _operation(tool: Tool) -> Callable[..., Any]:
    async def operation(request: Request, service: ServiceDep) -> Response:
        body = await request.body()
        if len(body) > service.settings.max_tool_bytes:
            raise TooLarge(f"A tool takes {service.settings.max_tool_bytes:,} bytes. Send the part around the error.")
        given = read_json(models.Arguments, request, body).root
        result = await run_in_threadpool(answered, service, tool.name, given)
        if wants_markdown(request):
            return markdown_response(result.text)
        return json_response({"content": result.text, "structured": result.structured}, headers={"Vary": "Accept"})

    operation.__doc__ = tool.description
    return operation


for _tool in TOOLS.values():
    router.post(
        f"/{_tool.name}",
        operation_id=_tool.name,
        response_model=models.ToolAnswer[_tool.gives],  # type: ignore[name-defined]
        responses=MARKDOWN,
        openapi_extra=body_of(_tool.takes),
    )(_operation(_tool))
