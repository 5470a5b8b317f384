"""Bodies of requests: what the contract says of them, and how they are read."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel

from whyraise.web.problems import WrongMediaType

_Body = TypeVar("_Body", bound=BaseModel)


def read_json(kind: type[_Body], request: Request, body: bytes) -> _Body:
    """Read a JSON body; raise `WrongMediaType` where it is declared as anything else."""
    if _media_type(request) == "application/json":
        return kind.model_validate_json(body)
    raise WrongMediaType("Send a JSON body with the header `Content-Type: application/json`.")


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def body_of(model: type[BaseModel], *more: str) -> dict[str, Any]:
    """Return what the contract says of a body that is read by hand."""
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
    content |= {media_type: {"schema": {"type": "string"}} for media_type in more}
    return {"requestBody": {"required": True, "content": content}}
