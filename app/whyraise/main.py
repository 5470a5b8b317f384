"""Puts the service together: `uvicorn --factory whyraise.main:create_app`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.routing import Route

from whyraise.chat.tools import TOOLS, Result
from whyraise.installed import grow
from whyraise.installed import process as growing
from whyraise.installed.state import Grown, known
from whyraise.knowledge.catalog import Catalog, open_sources
from whyraise.records.sources import bundled_records
from whyraise.settings import Settings, from_environment
from whyraise.version import VERSION
from whyraise.web import problems
from whyraise.web.api import explain, llms, models, records, status, tools
from whyraise.web.lane import Lane
from whyraise.web.pages import home, rendering
from whyraise.web.pages import records as library
from whyraise.web.pages.confine import ForBrowsers
from whyraise.web.problems import Guard, Problem
from whyraise.web.service import Service

if TYPE_CHECKING:
    from whyraise.chat.mcp_server import HttpDoor

_LOG = logging.getLogger(__name__)


def create_app(settings: Settings | None = None) -> ForBrowsers:
    """Return the service; the records are opened when it starts, so that a bad source ends it with its reason."""
    chosen = settings or from_environment(os.environ)
    return ForBrowsers(Guard(create_api(chosen), chosen.max_body_bytes))


def create_api(settings: Settings) -> FastAPI:
    """Return the API itself, without the layer that limits bodies."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        catalog = open_sources(sources_of(settings), settings.cache())
        app.state.service = Service(catalog, settings, Lane(settings.large_paste_bytes, settings.large_paste_queue))
        home.warm(app.state.service)
        wanted = grow.wanted(settings) if settings.grows() else {}
        app.state.growing = asyncio.create_task(_grow(app, wanted, settings.cache()))
        async with door.open() if door else nullcontext():
            yield
        app.state.growing.cancel()
        with suppress(asyncio.CancelledError):
            await app.state.growing

    app = FastAPI(
        title="Whyraise",
        version=VERSION,
        description="Paste any error, get the known error behind it.",
        lifespan=lifespan,
        docs_url=None,  # both pages load from other hosts
        redoc_url=None,
        redirect_slashes=False,  # a path has one spelling, and a wrong one is a problem document
    )
    problems.install(app)
    door = _mcp_door(app, settings)
    if door:
        app.router.routes.append(Route("/mcp", endpoint=door, include_in_schema=False))
    for router in (
        explain.router,
        records.router,
        tools.router,
        llms.router,
        status.router,
        home.router,
        library.router,
    ):
        app.include_router(router)
    app.mount("/static", rendering.files())
    app.openapi = lambda: contract(app)  # type: ignore[method-assign]  # FastAPI's documented way to extend it
    return app


def _mcp_door(app: FastAPI, settings: Settings) -> HttpDoor | None:
    """Return what answers at /mcp, or nothing where the extra `mcp` is not installed."""
    if find_spec("mcp") is None:
        return None
    from whyraise.chat import mcp_server  # noqa: PLC0415  # it needs that extra

    def call(name: str, arguments: Mapping[str, Any]) -> Result:
        return tools.answered(app.state.service, name, arguments)

    return mcp_server.HttpDoor(
        mcp_server.build(call),
        hosts=_with_ports(settings.mcp_hosts),
        origins=_with_ports(settings.mcp_origins),
        most_bytes=settings.max_tool_bytes,
    )


def _with_ports(names: str) -> list[str]:
    """Return hosts or origins, each as it stands and with any port."""
    return [form for name in names.split(",") if name.strip() for form in (name.strip(), f"{name.strip()}:*")]


async def _grow(app: FastAPI, wanted: Mapping[str, str], cache: str) -> None:
    """Serve what packages can raise too, given as targets with labels: at once what is known, the rest when mined."""
    if not wanted:
        return
    grown = known(cache)
    growing = sorted(set(wanted.values()) - (grown.packages if grown else set()))
    await asyncio.to_thread(_serve, app, grown, cache, tuple(growing))
    if growing:
        await _mined(list(wanted), cache)
        await asyncio.to_thread(_serve, app, known(cache), cache, ())


async def _mined(targets: Sequence[str], cache: str) -> None:
    """Wait until targets are mined in a process of their own, which ends with this one."""
    process = growing.start(targets, cache)
    try:
        _, status = await asyncio.to_thread(os.waitpid, process, 0)
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGTERM)
        raise
    if status:
        _LOG.warning("Mining the installed packages failed; `whyraise grow` says why. What was known is served.")


def _serve(app: FastAPI, grown: Grown | None, cache: str, growing: tuple[str, ...]) -> None:
    """Put another knowledge file in place; requests that are under way keep the one that they began with."""
    path = grown.path if grown else app.state.service.catalog.path
    app.state.service = app.state.service._replace(catalog=Catalog(path, cache, growing))


def sources_of(settings: Settings) -> list[str]:
    """Return the sources to serve: those of the settings, or the bundled records."""
    return [source for source in settings.sources.split(os.pathsep) if source] or [bundled_records()]


def contract(app: FastAPI) -> dict[str, object]:
    """Return the OpenAPI document, with the shapes that are read by hand added to it."""
    if app.openapi_schema is None:
        app.openapi_schema = FastAPI.openapi(app)
        schemas = app.openapi_schema["components"]["schemas"]
        shapes: list[type[BaseModel]] = [Problem, models.Paste, models.Pastes, models.DiagnoseRequest]
        for shape in (*shapes, *(tool.takes for tool in TOOLS.values())):
            own = shape.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= own.pop("$defs", {})
            schemas[shape.__name__] = own
    return app.openapi_schema
