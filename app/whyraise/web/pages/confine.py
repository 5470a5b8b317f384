"""Adds security headers to every response, and shows a problem as a page if a browser asked for one."""

from __future__ import annotations

import json

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whyraise.web import problems
from whyraise.web.pages import rendering
from whyraise.web.responses import preferred

# Pages load only files of this service, run no inline code and cannot be shown in a frame. Scripts may turn text into
# HTML only through the Trusted Types policy `whyraise` of page.js.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types whyraise"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class BrowserMiddleware:
    """The outermost middleware: adds security headers, answers HEAD, and shows a problem as a page if asked for one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # like GET, without a body
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        page_wanted = wants_page(scope)
        problem_start: list[Message] = []

        async def send_confined(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if page_wanted and headers.get("content-type") == problems.MEDIA_TYPE:
                    problem_start.append(message)
                    return
            if not problem_start:
                await send(message)
            elif not message.get("more_body"):
                page = _page(problem_start[0], message.get("body", b""))
                await page(scope, receive, send)

        await self._app(scope, receive, send_confined)


def _without_body(send: Send) -> Send:
    async def send_empty(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return send_empty


def wants_page(scope: Scope) -> bool:
    """Return whether a request comes from a browser that opens a page: it prefers HTML, and is not for the API."""
    accept = Headers(scope=scope).get("accept", "")
    return not scope["path"].startswith("/v1/") and preferred(accept, (problems.MEDIA_TYPE, "text/html")) == "text/html"


def _page(start: Message, body: bytes) -> Response:
    """Return a problem document as a page."""
    document = json.loads(body)
    page = rendering.render("problem.html", status=start["status"], title=document["title"], detail=document["detail"])
    for name, value in Headers(raw=start["headers"]).items():
        if name not in ("content-type", "content-length", "cache-control"):
            page.headers[name] = value
    return page
