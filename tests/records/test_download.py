"""Downloads over HTTP into a folder, from a server on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.file_server import Response, Server, serving
from tests.support.published import envelope, record
from whyraise.errors import SourceError
from whyraise.records.download import Limits, fetch

BODY = json.dumps([record("a1"), envelope("b2")]).encode()
TAGGED = Response(BODY, headers=(("ETag", '"v1"'), ("Last-Modified", "Mon, 01 Jun 2026 00:00:00 GMT")))


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bypass the proxy of the machine that runs the tests."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(size=50), "has more than 50 bytes"), (Limits(seconds=-1), "takes longer than -1 seconds")],
    ids=["size", "seconds"],
)
def test_a_body_that_is_too_large_or_takes_too_long_is_a_clear_error(
    limits: Limits, reason: str, server: Server, tmp_path: Path
) -> None:
    server.responses.extend([TAGGED, TAGGED])
    with pytest.raises(SourceError, match=f"the body {reason}"):
        fetch(f"{server.url}/data.json", str(tmp_path), limits)
    assert list(tmp_path.iterdir()) == []


def test_a_cached_copy_that_was_deleted_is_downloaded_again(server: Server, tmp_path: Path) -> None:
    server.responses.extend([TAGGED, TAGGED])
    copy = Path(fetch(f"{server.url}/data.json", str(tmp_path)).path)
    copy.unlink()
    assert Path(fetch(f"{server.url}/data.json", str(tmp_path)).path).read_bytes() == BODY
    assert server.requests[1] == ("/data.json", None, None)
