"""Reads JSON bodies of requests, and describes them for the OpenAPI contract."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel

from whyraise.web.problems import WrongMediaType

_Body = TypeVar("_Body", bound=BaseModel)


def read_json(model: type[_Body], request: Request, body: bytes) -> _Body:
    """Parse a JSON body; raise `WrongMediaType` if its header declares another media type."""
    if media_type_of(request) == "application/json":
        return model.model_validate_json(body)
    raise WrongMediaType("Send a JSON body with the header `Content-Type: application/json`.")


def media_type_of(request: Request) -> str:
    """Return the media type of a request's body in lower case, without parameters; empty if none is declared."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def body_schema(model: type[BaseModel], *text_types: str) -> dict[str, Any]:
    """Return the OpenAPI description of a body that the operation parses itself: JSON, or text of other media types."""
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
    content |= {media_type: {"schema": {"type": "string"}} for media_type in text_types}
    return {"requestBody": {"required": True, "content": content}}
