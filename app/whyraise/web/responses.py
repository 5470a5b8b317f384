"""Chooses the representation that a request prefers (RFC 9110, section 12.5.1), and creates responses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request, Response

from whyraise.records.record import Record
from whyraise.reporters import json as json_report
from whyraise.reporters import markdown


def preferred(accept: str, offered: Sequence[str]) -> str:
    """Return the offered media type with the highest weight in an Accept header; the first if several are equal."""
    weights = [_weight(accept, media_type) for media_type in offered]
    return offered[weights.index(max(weights))]


def _weight(accept: str, media_type: str) -> float:
    """Return the weight that the most specific range of an Accept header gives a media type."""
    ranges = {"*/*": 0, media_type.partition("/")[0] + "/*": 1, media_type: 2}
    best, weight = -1, 0.0 if accept.strip() else 1.0
    for media_range in accept.split(","):
        name, *parameters = (part.strip() for part in media_range.split(";"))
        specific = ranges.get(name.lower(), -1)
        if specific > best:
            best, weight = specific, _quality(parameters)
    return weight


def _quality(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0


def json_response(content: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return values as a JSON response. They are valid already, so FastAPI need not validate them again."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, status, dict(headers or {}), "application/json")


# The OpenAPI description of an answer that may be Markdown.
MARKDOWN: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/markdown": {"schema": {"type": "string"}}}, "description": "The answer."}
}


def wants_markdown(request: Request) -> bool:
    """Return whether a request prefers Markdown to JSON."""
    return preferred(request.headers.get("accept", ""), ("application/json", "text/markdown")) == "text/markdown"


def markdown_response(text: str) -> Response:
    """Return Markdown as a response."""
    return Response(text.encode("utf-8", "replace"), media_type="text/markdown", headers={"Vary": "Accept"})


def record_response(request: Request, digest: str, record: Record, kind: str = "") -> Response:
    """Return a record as `md` or `json` (by default what the request prefers), or 304 if the cached copy is current."""
    kind = kind or ("md" if wants_markdown(request) else "json")
    headers = cache_headers(f"{digest[:16]}-{record.id}-{kind}")
    if is_current(request, headers):
        return Response(status_code=304, headers=headers)
    response = markdown_response(markdown.record(record)) if kind == "md" else json_response(json_report.record(record))
    response.headers.update(headers)
    return response


def cache_headers(tag: str) -> dict[str, str]:
    """Return headers that let clients cache a representation, but make them revalidate it by its ETag each time."""
    return {"ETag": f'"{tag}"', "Vary": "Accept", "Cache-Control": "no-cache"}


def is_current(request: Request, headers: Mapping[str, str]) -> bool:
    """Return whether the client's cached copy is the representation with these headers."""
    cached = request.headers.get("if-none-match", "")
    return cached.strip() == "*" or headers["ETag"] in [tag.strip().removeprefix("W/") for tag in cached.split(",")]
