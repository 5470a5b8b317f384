"""Responses: which representation a request prefers (RFC 9110, section 12.5.1), and how each is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request, Response

from whyraise.records.record import Record
from whyraise.reporters import json as json_report
from whyraise.reporters import markdown


def preferred(accept: str, offered: Sequence[str]) -> str:
    """Return the media type, of those offered, that an Accept header weighs most; the first of equals, or at all."""
    weights = [_weight(accept, each) for each in offered]
    return offered[weights.index(max(weights))]


def _weight(accept: str, media_type: str) -> float:
    """Return the weight that the most specific range of an Accept header gives a media type."""
    ranges = {"*/*": 0, media_type.partition("/")[0] + "/*": 1, media_type: 2}
    best, weight = -1, 0.0 if accept.strip() else 1.0
    for each in accept.split(","):
        name, *parameters = (part.strip() for part in each.split(";"))
        specific = ranges.get(name.lower(), -1)
        if specific > best:
            best, weight = specific, _quality(parameters)
    return weight


def _quality(parameters: Sequence[str]) -> float:
    for each in parameters:
        name, _, value = each.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0


def json_response(content: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return JSON that was made from checked values, without checking it a second time."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, status, dict(headers or {}), "application/json")


# What the contract says of an answer that may be Markdown.
MARKDOWN: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/markdown": {"schema": {"type": "string"}}}, "description": "The answer."}
}


def wants_markdown(request: Request) -> bool:
    """Say whether a request prefers Markdown to JSON."""
    return preferred(request.headers.get("accept", ""), ("application/json", "text/markdown")) == "text/markdown"


def markdown_response(text: str) -> Response:
    """Return Markdown as a response."""
    return Response(text.encode("utf-8", "replace"), media_type="text/markdown", headers={"Vary": "Accept"})


def representation(request: Request, digest: str, record: Record, kind: str = "") -> Response:
    """Return a record as `md` or `json`, by default as was asked for, or nothing where the caller has it already."""
    kind = kind or ("md" if wants_markdown(request) else "json")
    headers = fresh(f"{digest[:16]}-{record.id}-{kind}")
    if is_known(request, headers):
        return Response(status_code=304, headers=headers)
    response = markdown_response(markdown.record(record)) if kind == "md" else json_response(json_report.record(record))
    response.headers.update(headers)
    return response


def fresh(tag: str) -> dict[str, str]:
    """Return the headers of a representation that is to be asked for anew each time, and costs nothing unchanged."""
    return {"ETag": f'"{tag}"', "Vary": "Accept", "Cache-Control": "no-cache"}


def is_known(request: Request, headers: Mapping[str, str]) -> bool:
    """Say whether the caller has the representation with these headers already."""
    known = request.headers.get("if-none-match", "")
    return known.strip() == "*" or headers["ETag"] in [one.strip().removeprefix("W/") for one in known.split(",")]
