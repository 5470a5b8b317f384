"""An HTTP server on this machine that sends the responses that a test sets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple


class Response(NamedTuple):
    """A response that the server will send."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Server(NamedTuple):
    """A running server: it sends `responses` in order and records path and conditional headers of its `requests`."""

    url: str
    responses: list[Response]
    requests: list[tuple[str, str | None, str | None]]


@contextmanager
def serving() -> Iterator[Server]:
    """Run a server while the block runs."""
    responses: list[Response] = []
    requests: list[tuple[str, str | None, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.path, self.headers["If-None-Match"], self.headers["If-Modified-Since"]))
            response = responses.pop(0)
            self.send_response(response.status)
            headers = dict(response.headers)
            for name, value in {"Content-Length": str(len(response.body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.body)

        def log_message(self, format: str, *args: object) -> None:
            """Do not log requests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Server(f"http://127.0.0.1:{server.server_port}", responses, requests)
        finally:
            server.shutdown()
            thread.join()
