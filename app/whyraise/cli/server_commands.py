"""The commands that serve records until they are stopped: serve (HTTP) and mcp (standard input and output).

Each takes the parsed arguments and the settings and returns an exit code. Each imports what it needs when it runs,
since `explain` must start fast.
"""

from __future__ import annotations

import os

from whyraise.cli.exit_codes import FOUND
from whyraise.errors import BadInput
from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from types import SimpleNamespace

    from whyraise.chat.tools import Backend
    from whyraise.records.record import Record
    from whyraise.settings import Settings


def serve_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Serve records over HTTP until stopped."""
    import uvicorn  # noqa: PLC0415

    from whyraise.main import create_app  # noqa: PLC0415

    settings = settings._replace(sources=os.pathsep.join(arguments.sources) or settings.sources)
    uvicorn.run(create_app(settings), host=arguments.host, port=arguments.port, server_header=False, access_log=False)
    return FOUND


def mcp_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Serve one chatbot over MCP on standard input and output until it closes them."""
    from importlib.util import find_spec  # noqa: PLC0415

    if find_spec("mcp") is None:
        raise BadInput("MCP needs the extra `mcp`: pip install 'whyraise[mcp]'.")
    import asyncio  # noqa: PLC0415

    from whyraise.chat import mcp_transport, tools  # noqa: PLC0415

    backend = _backend(arguments, settings)
    server = mcp_transport.build(lambda name, tool_arguments: tools.call(name, tool_arguments, backend))
    asyncio.run(mcp_transport.serve_stdio(server))
    return FOUND


def _backend(arguments: SimpleNamespace, settings: Settings) -> Backend:
    from whyraise.ask.local import LocalLookup, choose_sources  # noqa: PLC0415
    from whyraise.chat.tools import Backend  # noqa: PLC0415
    from whyraise.knowledge import queries  # noqa: PLC0415

    sources = arguments.records or ()
    local = LocalLookup(choose_sources(settings, sources), settings, grows=settings.grows() and not sources)

    def search(words: str, limit: int) -> tuple[Record, ...]:
        return queries.search(local.catalog().connection, words, limit)

    return Backend(local.explain, local.record_of, search, settings.public_url)
