"""Records are read from URLs, cached, and refreshed when they change on the server."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.file_server import Response, Server, serving
from tests.support.published import envelope, record
from whyraise.errors import SourceError
from whyraise.knowledge.ingest import IngestedRecord, Note, ingest
from whyraise.records.record import Fault
from whyraise.records.sources import find_sources

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


def read(url: str, cache: Path) -> list[IngestedRecord | Fault | Note]:
    return list(ingest(find_sources([url], str(cache))))


def ids(found: list[IngestedRecord | Fault | Note]) -> list[str]:
    return [item.record.id for item in found if isinstance(item, IngestedRecord)]


@pytest.mark.parametrize("body", [BODY, gzip.compress(BODY)], ids=["plain", "gzip"])
def test_records_are_read_from_a_url(body: bytes, server: Server, tmp_path: Path) -> None:
    server.responses.append(Response(body))
    found = read(f"{server.url}/sets/data.json.gz", tmp_path)
    assert ids(found) == ["a1", "b2"]
    assert {item.record.dataset for item in found if isinstance(item, IngestedRecord)} == {"data"}


def test_an_unchanged_body_is_not_downloaded_again(server: Server, tmp_path: Path) -> None:
    server.responses.extend([TAGGED, Response(status=304), Response(b"[]")])
    first, second = (read(f"{server.url}/data.json", tmp_path) for _ in range(2))
    assert first == second
    assert ids(first) == ["a1", "b2"]
    assert read(f"{server.url}/data.json", tmp_path) == []
    assert server.requests == [
        ("/data.json", None, None),
        ("/data.json", '"v1"', "Mon, 01 Jun 2026 00:00:00 GMT"),
        ("/data.json", '"v1"', "Mon, 01 Jun 2026 00:00:00 GMT"),
    ]


def test_a_cached_copy_without_valid_response_headers_is_downloaded_again(server: Server, tmp_path: Path) -> None:
    server.responses.extend([TAGGED, TAGGED])
    read(f"{server.url}/data.json", tmp_path)
    [headers] = (tmp_path / "downloads").glob("*.json")
    headers.write_text("{", encoding="utf-8")
    assert ids(read(f"{server.url}/data.json", tmp_path)) == ["a1", "b2"]
    assert server.requests[1] == ("/data.json", None, None)


def test_if_the_server_fails_the_cached_copy_is_used_with_a_note(server: Server, tmp_path: Path) -> None:
    server.responses.extend([TAGGED, Response(status=500)])
    url = f"{server.url}/data.json"
    first, second = read(url, tmp_path), read(url, tmp_path)
    reason = "could not be refreshed, so the cached copy is used: the server responded with 500 Internal Server Error"
    assert second == [Note(Fault(url, "", reason)), *first]


def test_a_truncated_body_is_an_error(server: Server, tmp_path: Path) -> None:
    server.responses.append(Response(BODY[:50], headers=(("Content-Length", "5000"),)))
    with pytest.raises(SourceError, match=r"data\.json cannot be read: "):
        read(f"{server.url}/data.json", tmp_path)
    assert list((tmp_path / "downloads").iterdir()) == []


def test_a_redirect_is_followed_and_a_redirect_loop_is_not(server: Server, tmp_path: Path) -> None:
    server.responses.extend([Response(status=302, headers=(("Location", "/other.json"),)), TAGGED])
    assert ids(read(f"{server.url}/data.json", tmp_path)) == ["a1", "b2"]
    server.responses.extend([Response(status=302, headers=(("Location", "/loop"),))] * 9)
    with pytest.raises(SourceError, match="redirects"):
        read(f"{server.url}/loop", tmp_path)


@pytest.mark.parametrize("response", [Response(status=404), Response(status=304)], ids=["404", "304"])
def test_a_response_without_records_is_a_clear_error(response: Response, server: Server, tmp_path: Path) -> None:
    server.responses.append(response)
    with pytest.raises(
        SourceError, match=rf"data\.json cannot be read: the server responded with {response.status}.*Check the"
    ):
        read(f"{server.url}/data.json", tmp_path)


def test_a_server_that_does_not_run_is_a_clear_error(tmp_path: Path) -> None:
    with serving() as stopped:
        url = f"{stopped.url}/data.json"
    with pytest.raises(SourceError, match="cannot be read: "):
        read(url, tmp_path)


@pytest.mark.parametrize("url", ["http://[::1", "http://", "https://exa mple/", "http://127.0.0.1:99999/x"])
def test_an_invalid_url_is_a_clear_error(url: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"check its host and port|cannot be read: "):
        read(url, tmp_path)


def test_a_password_that_makes_a_url_invalid_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read("http://user:hunter2/data.json", tmp_path)
    assert "hunter2" not in str(caught.value)


def test_passwords_and_tokens_of_a_url_are_shown_nowhere(server: Server, tmp_path: Path) -> None:
    secret = server.url.replace("http://", "http://user:hunter2@") + "/data.json?token=hunter3#hunter4"
    server.responses.extend([Response(status=500), Response(b"[3"), Response(status=500)])
    with pytest.raises(SourceError) as caught:
        read(secret, tmp_path)
    found = [read(secret, tmp_path) for _ in range(2)]
    assert [len(items) for items in found] == [1, 2]
    assert "hunter" not in f"{caught.value}{found}"
    assert f"{server.url}/data.json" in str(caught.value)
