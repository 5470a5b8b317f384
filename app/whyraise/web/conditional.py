"""Conditional requests: what the caller has already is not sent again (RFC 9110, If-None-Match)."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request, Response


def conditional(request: Request, tag: str, make: Callable[[], Response]) -> Response:
    """Return the response that `make` makes, or 304 where the caller has the one of that quoted tag."""
    headers = {"ETag": tag, "Vary": "Accept", "Cache-Control": "no-cache"}
    known = request.headers.get("if-none-match", "")
    if known.strip() == "*" or tag in [one.strip().removeprefix("W/") for one in known.split(",")]:
        return Response(status_code=304, headers=headers)
    response = make()
    response.headers.update(headers)
    return response
