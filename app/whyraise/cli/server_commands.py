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

    from whyraise.settings import Settings


def serve_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Serve records over HTTP until stopped."""
    import uvicorn  # noqa: PLC0415

    from whyraise.main import create_app  # noqa: PLC0415

    given = [*arguments.sources, *filter(None, settings.sources.split(os.pathsep))]
    settings = settings._replace(sources=os.pathsep.join(given), only=int(arguments.only or settings.only))
    uvicorn.run(create_app(settings), host=arguments.host, port=arguments.port, server_header=False, access_log=False)
    return FOUND


def mcp_command(arguments: SimpleNamespace, settings: Settings) -> int:
    """Serve one chatbot over MCP on standard input and output until it closes them."""
    from importlib.util import find_spec  # noqa: PLC0415

    if find_spec("mcp") is None:
        raise BadInput("MCP needs the extra `mcp`: pip install 'whyraise[mcp]'.")
    import asyncio  # noqa: PLC0415

    from whyraise.ask.answer import answer  # noqa: PLC0415
    from whyraise.ask.ask import open_here  # noqa: PLC0415
    from whyraise.chat import mcp_transport, tools  # noqa: PLC0415

    knowledge = open_here(settings, arguments.records or (), only=arguments.only)
    backend = tools.Backend(
        lambda text, limit: answer(text, knowledge, limit=limit),
        knowledge.record_of,
        knowledge.search,
        settings.public_url,
    )
    server = mcp_transport.build(lambda name, tool_arguments: tools.call(name, tool_arguments, backend))
    asyncio.run(mcp_transport.serve_stdio(server))
    return FOUND
