"""Turns every error over HTTP into a problem document (RFC 9457), which never repeats a paste."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from whyraise.errors import BadInput, Busy, NotFound, WhyraiseError

MEDIA_TYPE = "application/problem+json"


class TooLarge(WhyraiseError):
    """A body has more bytes than the limit."""


class WrongMediaType(WhyraiseError):
    """A body has a media type that the service does not read."""


class Fault(BaseModel):
    """One fault of a request: where it is (a JSON pointer into the body, or a parameter's name) and what is wrong."""

    pointer: str
    detail: str


class Problem(BaseModel):
    """A problem document (RFC 9457)."""

    type: str = Field("about:blank", description="Always `about:blank`: the status says what kind of problem it is.")
    title: str = Field(description="The name of the HTTP status.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What went wrong, where, and what to do.")
    errors: list[Fault] = Field([], description="Each fault of an invalid request.")


# The HTTP status of each of our errors; a test checks that none is missing.
STATUSES: Mapping[type[WhyraiseError], HTTPStatus] = {
    BadInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotFound: HTTPStatus.NOT_FOUND,
    Busy: HTTPStatus.SERVICE_UNAVAILABLE,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    WrongMediaType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
}

# The OpenAPI description of every answer that is not a success.
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
    """Return the faults of a request, without the values that were sent."""
    return [_fault(details["type"], details["loc"], details["msg"]) for details in error.errors()]


def _fault(error_type: str, location: Sequence[int | str], message: str) -> Fault:
    if error_type == "extra_forbidden":  # the unknown field's name may be a paste, so it is not repeated
        return Fault(pointer=_pointer(location[:-1]), detail="The request has an unknown field")
    return Fault(pointer=_pointer(location), detail=message)


def _pointer(location: Sequence[int | str]) -> str:
    keys = location[1:] if location[:1] in (("body",), ["body"]) else location
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def install(app: FastAPI) -> None:
    """Make the app answer every error with a problem document."""

    @app.exception_handler(RequestValidationError)
    @app.exception_handler(ValidationError)
    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, (RequestValidationError, ValidationError))
        faults = faults_of(error)
        detail = "The request is invalid: " + "; ".join(
            f"{fault.pointer or 'body'}: {fault.detail}" for fault in faults[:5]
        )
        return problem(422, detail, faults)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return problem(error.status_code, _MESSAGES.get(error.status_code, str(error.detail)), headers=error.headers)

    @app.exception_handler(WhyraiseError)
    async def raised(request: Request, error: Exception) -> Response:
        status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 500)
        headers = {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
        detail = "No record has that id or slug." if isinstance(error, NotFound) else str(error)
        return problem(status, detail, headers=headers)


_MESSAGES = {
    404: "This path does not exist. The contract at /openapi.json lists all paths.",
    405: "This path does not support this method. The header `Allow` lists the supported methods.",
}
