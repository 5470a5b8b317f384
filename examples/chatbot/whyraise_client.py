"""A client for Whyraise's tools, to copy into a chatbot backend. It needs httpx and nothing of Whyraise.

Every call only reads, so that a call may be sent again: after a broken connection, a timeout, or an answer that says to
come back later. What the service refuses (an unknown id, a paste that is too large) is a result that a model can read
and correct itself by, and no exception.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import httpx

TIMEOUT = httpx.Timeout(10.0, connect=2.0)
RETRIES = 3
_LATER = frozenset({429, 502, 503, 504})
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 10.0


class Unavailable(Exception):
    """The service could not be asked, after all retries."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What to hand to a model: Markdown, the same as data, and whether the call failed."""

    content: str
    structured: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


class Whyraise:
    """Asks over one connection pool; use it as a context manager, one for the whole backend."""

    def __init__(
        self, url: str, *, retries: int = RETRIES, sleep: Callable[[float], object] = time.sleep, **options: Any
    ) -> None:
        """Connect to the service at a base address; further options are those of `httpx.Client`."""
        self._client = httpx.Client(base_url=url, **{"timeout": TIMEOUT, **options})
        self._retries, self._sleep = retries, sleep

    def tools(self, format_: str) -> list[dict[str, Any]]:
        """Return the tools as `openai` or `anthropic` want them in a request."""
        response = self._send("GET", f"/v1/tools?format={format_}")
        return list(response.raise_for_status().json()["tools"])

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Answer a tool call; raise `Unavailable` where the service cannot be asked."""
        return _result(self._send("POST", f"/v1/tools/{name}", arguments)) if name.isidentifier() else _NO_TOOL

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        for attempt in range(self._retries + 1):
            try:
                response = self._client.request(method, path, json=body)
            except httpx.TransportError as error:
                wait = _wait(attempt, None, self._retries, error)
            else:
                if response.status_code not in _LATER:
                    return response
                wait = _wait(attempt, response, self._retries)
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def __enter__(self) -> Self:
        """Keep the connections open."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connections."""
        self._client.close()


class AsyncWhyraise:
    """The same for an asynchronous backend."""

    def __init__(
        self,
        url: str,
        *,
        retries: int = RETRIES,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        **options: Any,
    ) -> None:
        """Connect to the service at a base address; further options are those of `httpx.AsyncClient`."""
        self._client = httpx.AsyncClient(base_url=url, **{"timeout": TIMEOUT, **options})
        self._retries, self._sleep = retries, sleep

    async def tools(self, format_: str) -> list[dict[str, Any]]:
        """Return the tools as `openai` or `anthropic` want them in a request."""
        response = await self._send("GET", f"/v1/tools?format={format_}")
        return list(response.raise_for_status().json()["tools"])

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Answer a tool call; raise `Unavailable` where the service cannot be asked."""
        return _result(await self._send("POST", f"/v1/tools/{name}", arguments)) if name.isidentifier() else _NO_TOOL

    async def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        for attempt in range(self._retries + 1):
            try:
                response = await self._client.request(method, path, json=body)
            except httpx.TransportError as error:
                wait = _wait(attempt, None, self._retries, error)
            else:
                if response.status_code not in _LATER:
                    return response
                wait = _wait(attempt, response, self._retries)
            await self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def __aenter__(self) -> Self:
        """Keep the connections open."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._client.aclose()


_NO_TOOL = ToolResult("There is no such tool.", failed=True)


def arguments_of(text: str) -> dict[str, Any] | None:
    """Return the arguments that a model wrote as JSON, or nothing where it wrote something else."""
    try:
        given = json.loads(text)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _result(response: httpx.Response) -> ToolResult:
    """Return a tool's answer, or what went wrong in words that the service wrote for a reader."""
    body = response.json()
    if response.is_success:
        return ToolResult(body["content"], body["structured"])
    return ToolResult(f"The tool refused the call: {body['detail']}", failed=True)


def _wait(attempt: int, response: httpx.Response | None, retries: int, error: Exception | None = None) -> float:
    """Return the seconds until the next attempt: as the service says, or ever longer; raise after the last one."""
    if attempt == retries:
        reason = f"it answers {response.status_code}" if response is not None else repr(error)
        raise Unavailable(f"Whyraise cannot be asked now: {reason}.") from error
    said = response.headers.get("retry-after", "") if response is not None else ""
    if said.isdigit():
        return min(float(said), _LONGEST_WAIT)
    return min(_FIRST_WAIT * float(2**attempt), _LONGEST_WAIT) * (
        1 + random.random()
    )  # spread out, or all come back at once
