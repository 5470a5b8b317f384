"""Middleware around the API: limits the size of bodies, and turns a crash into a problem document."""

from __future__ import annotations

import logging

from fastapi import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whyraise.errors import raise_location
from whyraise.web.problems import TooLarge, problem

_LOG = logging.getLogger("whyraise")


class Guard:
    """The middleware that limits bodies, and turns a crash into a problem."""

    def __init__(self, app: ASGIApp, max_body_bytes: int) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_checked(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            if self._declared_size(scope) > self._max_body_bytes:
                await self._too_large()(scope, receive, send_checked)
            else:
                await self._app(scope, self._limited(receive), send_checked)
        except TooLarge:
            await self._too_large()(scope, receive, send_checked)
        except Exception as error:  # noqa: BLE001  # nothing above this layer answers the client
            _LOG.error("%s at %s", type(error).__name__, raise_location(error))  # the message may hold the paste
            if not started:
                await problem(500, "The service failed on this request. Nothing of it was stored.")(
                    scope, receive, send_checked
                )

    def _too_large(self) -> Response:
        return problem(413, f"The body has more than {self._max_body_bytes:,} bytes. Send the part around the error.")

    @staticmethod
    def _declared_size(scope: Scope) -> int:
        values = [value for name, value in scope["headers"] if name == b"content-length"]
        return int(values[0]) if values and values[0].isdigit() else 0

    def _limited(self, receive: Receive) -> Receive:
        remaining = self._max_body_bytes

        async def receive_limited() -> Message:
            nonlocal remaining
            message = await receive()
            remaining -= len(message.get("body", b""))
            if remaining < 0:
                raise TooLarge("The body is too large.")
            return message

        return receive_limited
