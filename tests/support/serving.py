"""The service on a free port of loopback, for tests that ask it as a client would."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from whyraise.main import create_app
from whyraise.settings import Settings


def live(settings: Settings) -> AbstractContextManager[str]:
    """Serve the service on a free port of loopback, and give its address."""
    return serving(create_app(settings))


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """Serve an app on a free port of loopback, and give its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)  # from here on a client waits instead of being refused
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
