"""The official MCP client, connected over either transport."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


def command(cache: str) -> StdioServerParameters:
    environment = {**os.environ, "WHYRAISE_MINE": "off", "WHYRAISE_CACHE_DIR": cache}
    return StdioServerParameters(command=sys.executable, args=["-m", "whyraise", "mcp"], env=environment)


@asynccontextmanager
async def connected(transport: str, mode: str, address: str, cache: str) -> AsyncIterator[Client]:
    target: Any = stdio_client(command(cache)) if transport == "stdio" else f"{address}/mcp"
    async with Client(target, mode=mode) as client:
        yield client


def structured(result: Any) -> Any:
    assert not result.is_error
    return result.structured_content


CLIENT = {"name": "test", "version": "1"}


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
}
