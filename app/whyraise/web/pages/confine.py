"""What browsers get beside the pages: headers that confine them, files, and problems as pages."""

from __future__ import annotations

import json

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whyraise.web import problems
from whyraise.web.pages import rendering
from whyraise.web.responses import preferred

# Only what this service serves itself, nothing inline, nothing framed; HTML from text only through one named policy.
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


class ForBrowsers:
    """The layer around the service that confines its pages, and shows a problem as a page where one was asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        as_page = wants_page(scope)
        problem: list[Message] = []

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if as_page and headers.get("content-type") == problems.MEDIA_TYPE:
                    problem.append(message)
                    return
            if not problem:
                await send(message)
            elif not message.get("more_body"):
                page = _page(problem[0], message.get("body", b""))
                await page(scope, receive, send)

        await self._app(scope, receive, sending)


def wants_page(scope: Scope) -> bool:
    """Say whether a request comes from a person who opened an address."""
    accept = Headers(scope=scope).get("accept", "")
    return not scope["path"].startswith("/v1/") and preferred(accept, (problems.MEDIA_TYPE, "text/html")) == "text/html"


def _page(start: Message, body: bytes) -> Response:
    """Return a problem document as a page."""
    said = json.loads(body)
    page = rendering.render("problem.html", status=start["status"], title=said["title"], detail=said["detail"])
    for name, value in Headers(raw=start["headers"]).items():
        if name not in ("content-type", "content-length", "cache-control"):
            page.headers[name] = value
    return page
