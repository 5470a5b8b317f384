"""Creates the web application: `uvicorn --factory whyraise.main:create_app`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.routing import Route

from whyraise.ask.knowledge import open_knowledge
from whyraise.chat.tools import TOOLS, Result
from whyraise.installed import grow, process
from whyraise.installed.state import mined_knowledge
from whyraise.settings import Settings, from_environment
from whyraise.version import VERSION
from whyraise.web import problems
from whyraise.web.api import explain, llms, models, records, status, tools
from whyraise.web.body_limit import Guard
from whyraise.web.lane import Lane
from whyraise.web.pages import home, rendering
from whyraise.web.pages import records as library
from whyraise.web.pages.confine import BrowserMiddleware
from whyraise.web.problems import Problem
from whyraise.web.service import Service

if TYPE_CHECKING:
    from whyraise.chat.mcp_transport import HttpEndpoint

_LOG = logging.getLogger(__name__)
_ROUTERS = (
    explain.router,
    records.router,
    tools.router,
    llms.router,
    status.router,
    home.router,
    library.router,
)


def create_app(settings: Settings | None = None) -> BrowserMiddleware:
    """Return the application. It opens the records when it starts, so an invalid source stops it with the reason."""
    settings = settings or from_environment(os.environ)
    return BrowserMiddleware(Guard(create_api(settings), settings.max_body_bytes))


def create_api(settings: Settings) -> FastAPI:
    """Return the API without the middleware that limits request bodies."""

    def lifespan(app: FastAPI) -> AbstractAsyncContextManager[None]:
        return _lifespan(app, settings, mcp)

    app = FastAPI(
        title="Whyraise",
        version=VERSION,
        description="Paste any error, get the known error behind it.",
        lifespan=lifespan,
        docs_url=None,  # both pages load from other hosts
        redoc_url=None,
        redirect_slashes=False,  # each path has one spelling; any other gets a problem document
    )
    problems.install(app)
    mcp = _mcp_endpoint(app, settings)
    if mcp:
        app.router.routes.append(Route("/mcp", endpoint=mcp, include_in_schema=False))
    for router in _ROUTERS:
        app.include_router(router)
    app.mount("/static", rendering.static_files())
    app.openapi = lambda: contract(app)  # type: ignore[method-assign]  # FastAPI's documented way to extend it
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI, settings: Settings, mcp: HttpEndpoint | None) -> AsyncIterator[None]:
    knowledge = open_knowledge(settings, is_service=True)
    app.state.service = Service(knowledge, settings, Lane(settings.large_paste_bytes, settings.large_paste_queue))
    home.warm_up(app.state.service)
    wanted = grow.configured_targets(settings) if settings.grows() else {}
    app.state.growing = asyncio.create_task(_mine_missing(wanted, settings.cache()))
    async with mcp.open() if mcp else nullcontext():
        yield
    app.state.growing.cancel()
    with suppress(asyncio.CancelledError):
        await app.state.growing


def _mcp_endpoint(app: FastAPI, settings: Settings) -> HttpEndpoint | None:
    """Return the endpoint for /mcp, or None if the extra `mcp` is not installed."""
    if find_spec("mcp") is None:
        return None
    from whyraise.chat import mcp_transport  # noqa: PLC0415  # it needs that extra

    def call(name: str, arguments: Mapping[str, Any]) -> Result:
        return tools.call_tool(app.state.service, name, arguments)

    return mcp_transport.HttpEndpoint(
        mcp_transport.build(call),
        hosts=_with_ports(settings.mcp_hosts),
        origins=_with_ports(settings.mcp_origins),
        max_bytes=settings.max_tool_bytes,
    )


def _with_ports(names: str) -> list[str]:
    """Return the comma-separated hosts or origins, each without a port and with any port."""
    hosts = [name.strip() for name in names.split(",") if name.strip()]
    return [pattern for host in hosts for pattern in (host, f"{host}:*")]


async def _mine_missing(wanted: Mapping[str, str], cache: str) -> None:
    """Mine the packages that are not mined yet; what is mined is part of the next answer.

    `wanted` maps what `whyraise grow` takes (a distribution or `stdlib`) to its name and version.
    """
    mined = mined_knowledge(cache)
    if set(wanted.values()) - (mined.packages if mined else set()):
        await _mine(list(wanted), cache)


async def _mine(targets: Sequence[str], cache: str) -> None:
    """Mine targets in a separate process and wait for it; when this task is cancelled, stop that process."""
    process_id = process.start(targets, cache)
    try:
        _, exit_status = await asyncio.to_thread(os.waitpid, process_id, 0)
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            os.killpg(process_id, signal.SIGTERM)
        raise
    if exit_status:
        _LOG.warning("Mining the installed packages failed. Run `whyraise grow` to see the reason.")


def contract(app: FastAPI) -> dict[str, object]:
    """Return the OpenAPI document, including the request models, which FastAPI does not add by itself."""
    if app.openapi_schema is None:
        app.openapi_schema = FastAPI.openapi(app)
        schemas = app.openapi_schema["components"]["schemas"]
        request_models: list[type[BaseModel]] = [Problem, models.Paste, models.Pastes, models.DiagnoseRequest]
        for model in (*request_models, *(tool.arguments for tool in TOOLS.values())):
            schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= schema.pop("$defs", {})
            schemas[model.__name__] = schema
    return app.openapi_schema
