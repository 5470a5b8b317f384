"""What tests of HTTP ask with and hold answers against."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient
from starlette.types import ASGIApp

SECRET = "hunter2-password"


def serve(app: ASGIApp) -> TestClient:
    return TestClient(app, raise_server_exceptions=False)


def problem_of(response: Any) -> tuple[int, str]:
    """Check that a response is a problem document and nothing else, and return its status and detail."""
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert set(body) == {"type", "title", "status", "detail", "errors"}
    assert body["status"] == response.status_code
    return response.status_code, body["detail"]
