"""Puts the service together: `uvicorn --factory whyraise.main:create_app`."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI

from whyraise import grow
from whyraise.catalog import Catalog, open_sources
from whyraise.grown import known
from whyraise.settings import Settings, from_environment
from whyraise.sources import bundled_records
from whyraise.version import VERSION
from whyraise.web import lookup, models, problems, records, service
from whyraise.web.lane import Lane
from whyraise.web.problems import Guard, Problem
from whyraise.web.service import Service


def create_app(settings: Settings | None = None) -> Guard:
    """Return the service; the records are opened when it starts, so that a bad source ends it with its reason."""
    chosen = settings or from_environment(os.environ)
    return Guard(create_api(chosen), chosen.max_body_bytes)


def create_api(settings: Settings) -> FastAPI:
    """Return the API itself, without the layer that limits bodies."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        catalog = open_sources(sources_of(settings), settings.cache())
        app.state.service = Service(catalog, settings, Lane(settings.large_paste_bytes, settings.large_paste_queue))
        growing = asyncio.create_task(_grow(app, settings)) if settings.mine != "off" and not settings.sources else None
        yield
        if growing:
            growing.cancel()
            with suppress(asyncio.CancelledError):
                await growing

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
    for router in (lookup.router, records.router, service.router):
        app.include_router(router)
    app.openapi = lambda: contract(app)  # type: ignore[method-assign]  # FastAPI's documented way to extend it
    return app


async def _grow(app: FastAPI, settings: Settings) -> None:
    """Serve what the interpreter's packages can raise too: at once where it is known, else when it has been mined."""
    cache = settings.cache()
    wanted = await asyncio.to_thread(grow.installed) if settings.mine == "all" else settings.mine.split(",")
    labels = frozenset(map(grow.label, wanted))
    grown = await asyncio.to_thread(known, cache)
    if not grown or not labels <= grown.packages:
        _serve(app, app.state.service.catalog.path, cache, tuple(sorted(labels)))
        process = grow.start(wanted, cache)
        try:
            await asyncio.to_thread(os.waitpid, process, 0)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGTERM)
        grown = await asyncio.to_thread(known, cache)
    await asyncio.to_thread(_serve, app, grown.path if grown else app.state.service.catalog.path, cache, ())


def _serve(app: FastAPI, path: str, cache: str, growing: tuple[str, ...]) -> None:
    """Put another knowledge file in place; requests that are under way keep the one that they began with."""
    app.state.service = app.state.service._replace(catalog=Catalog(path, cache, growing))


def sources_of(settings: Settings) -> list[str]:
    """Return the sources to serve: those of the settings, or the bundled records."""
    return [source for source in settings.sources.split(os.pathsep) if source] or [bundled_records()]


def contract(app: FastAPI) -> dict[str, object]:
    """Return the OpenAPI document, with the shapes that are read by hand added to it."""
    if app.openapi_schema is None:
        app.openapi_schema = FastAPI.openapi(app)
        schemas = app.openapi_schema["components"]["schemas"]
        for shape in (Problem, models.Paste, models.Pastes, models.DiagnoseRequest):
            own = shape.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= own.pop("$defs", {})
            schemas[shape.__name__] = own
    return app.openapi_schema
