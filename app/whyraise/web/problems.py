"""One shape for everything that goes wrong over HTTP: a problem document (RFC 9457). It never echoes a paste."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whyraise.errors import BadInput, Busy, NotFound, WhyraiseError, place

MEDIA_TYPE = "application/problem+json"

_LOG = logging.getLogger("whyraise")


class TooLarge(WhyraiseError):
    """A body has more bytes than are accepted."""


class WrongMediaType(WhyraiseError):
    """A body is of a kind that is not read."""


class Fault(BaseModel):
    """One thing that is wrong with a request: where (JSON pointer into the body, or a parameter's name) and what."""

    pointer: str
    detail: str


class Problem(BaseModel):
    """A problem document (RFC 9457)."""

    type: str = Field("about:blank", description="`about:blank`: the status says what kind of problem it is.")
    title: str = Field(description="The status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What went wrong, where, and what to do.")
    errors: list[Fault] = Field([], description="Each fault of the request, where there are several.")


# Which status each error of ours has; a test checks that none is missing.
STATUSES: Mapping[type[WhyraiseError], HTTPStatus] = {
    BadInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotFound: HTTPStatus.NOT_FOUND,
    Busy: HTTPStatus.SERVICE_UNAVAILABLE,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    WrongMediaType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
}

# What every operation answers when it does not succeed, for the contract.
RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem document.",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}


def problem(
    status: int, detail: str, errors: Sequence[Fault] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """Return a problem document as a response."""
    body = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=list(errors))
    return Response(body.model_dump_json(exclude_defaults=False), status, dict(headers or {}), MEDIA_TYPE)


def faults_of(error: ValidationError | RequestValidationError) -> list[Fault]:
    """Return what is wrong with a request, without the values that were sent."""
    return [_fault(one["type"], one["loc"], one["msg"]) for one in error.errors()]


def _fault(kind: str, place: Sequence[int | str], words: str) -> Fault:
    if kind == "extra_forbidden":  # a field's name may be a paste that was sent without one
        return Fault(pointer=_pointer(place[:-1]), detail="There is a field that this request does not have")
    return Fault(pointer=_pointer(place), detail=words)


def _pointer(place: Sequence[int | str]) -> str:
    inside = place[1:] if place[:1] in (("body",), ["body"]) else place
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in inside)


def install(app: FastAPI) -> None:
    """Answer every error of the app in one shape."""

    @app.exception_handler(RequestValidationError)
    @app.exception_handler(ValidationError)
    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, (RequestValidationError, ValidationError))
        faults = faults_of(error)
        detail = "The request cannot be used: " + "; ".join(
            f"{one.pointer or 'body'}: {one.detail}" for one in faults[:5]
        )
        return problem(422, detail, faults)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return problem(error.status_code, _WORDS.get(error.status_code, str(error.detail)), headers=error.headers)

    @app.exception_handler(WhyraiseError)
    async def raised(request: Request, error: Exception) -> Response:
        status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 500)
        headers = {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
        detail = "No record has that id or slug." if isinstance(error, NotFound) else str(error)
        return problem(status, detail, headers=headers)


_WORDS = {
    404: "There is nothing at this path; the contract is at /openapi.json.",
    405: "This path does not answer that method; the header Allow names those it does.",
}


class Guard:
    """The outermost layer: limits bodies, answers HEAD as GET without a body, and turns a crash into a problem."""

    def __init__(self, app: ASGIApp, max_body_bytes: int) -> None:
        self._app = app
        self._most = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            if scope["method"] == "HEAD" and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        try:
            if self._declared(scope) > self._most:
                await self._too_large()(scope, receive, sending)
            else:
                await self._app(inner, self._counted(receive), sending)
        except TooLarge:
            await self._too_large()(scope, receive, sending)
        except Exception as error:  # noqa: BLE001  # the last layer: nothing above it answers the caller
            _LOG.error("%s at %s", type(error).__name__, place(error))  # the message may hold the paste
            if not started:
                await problem(500, "The service failed on this request. Nothing of it was stored.")(
                    scope, receive, sending
                )

    def _too_large(self) -> Response:
        return problem(413, f"The body has more than {self._most:,} bytes. Send the part around the error.")

    @staticmethod
    def _declared(scope: Scope) -> int:
        values = [value for name, value in scope["headers"] if name == b"content-length"]
        return int(values[0]) if values and values[0].isdigit() else 0

    def _counted(self, receive: Receive) -> Receive:
        left = self._most

        async def receiving() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLarge("The body is too large.")
            return message

        return receiving
