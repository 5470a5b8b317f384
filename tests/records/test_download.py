"""Records over HTTP, against a server on this machine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from tests.support.published import envelope, record
from whyraise.errors import SourceError
from whyraise.knowledge.ingest import Arrival, Note, arrivals
from whyraise.records.download import Limits, fetch
from whyraise.records.record import Fault
from whyraise.records.sources import find_sources


class Reply(NamedTuple):
    """What the server says next."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Server(NamedTuple):
    """A server whose replies are set by the test, and the requests that it got."""

    url: str
    replies: list[Reply]
    requests: list[tuple[str, str | None, str | None]]


@contextmanager
def serving() -> Iterator[Server]:
    replies: list[Reply] = []
    requests: list[tuple[str, str | None, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.path, self.headers["If-None-Match"], self.headers["If-Modified-Since"]))
            reply = replies.pop(0)
            self.send_response(reply.status)
            headers = dict(reply.headers)
            for name, value in {"Content-Length": str(len(reply.body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Server(f"http://127.0.0.1:{server.server_port}", replies, requests)
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the machine that runs the tests has nothing to do with them."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


BODY = json.dumps([record("a1"), envelope("b2")]).encode()
TAGGED = Reply(BODY, headers=(("ETag", '"v1"'), ("Last-Modified", "Mon, 01 Jun 2026 00:00:00 GMT")))


def read(url: str, cache: Path) -> list[Arrival | Fault | Note]:
    return list(arrivals(find_sources([url], str(cache))))


def ids(found: list[Arrival | Fault | Note]) -> list[str]:
    return [each.record.id for each in found if isinstance(each, Arrival)]


@pytest.mark.parametrize("body", [BODY, gzip.compress(BODY)], ids=["plain", "gzip"])
def test_records_are_read_from_a_url(body: bytes, server: Server, tmp_path: Path) -> None:
    server.replies.append(Reply(body))
    found = read(f"{server.url}/sets/data.json.gz", tmp_path)
    assert ids(found) == ["a1", "b2"]
    assert {each.record.dataset for each in found if isinstance(each, Arrival)} == {"data"}


def test_a_refresh_costs_nothing_when_nothing_changed(server: Server, tmp_path: Path) -> None:
    server.replies.extend([TAGGED, Reply(status=304), Reply(b"[]")])
    first, second = (read(f"{server.url}/data.json", tmp_path) for _ in range(2))
    assert first == second
    assert ids(first) == ["a1", "b2"]
    assert read(f"{server.url}/data.json", tmp_path) == []
    assert server.requests == [
        ("/data.json", None, None),
        ("/data.json", '"v1"', "Mon, 01 Jun 2026 00:00:00 GMT"),
        ("/data.json", '"v1"', "Mon, 01 Jun 2026 00:00:00 GMT"),
    ]


def test_a_copy_without_its_note_of_the_server_is_fetched_again(server: Server, tmp_path: Path) -> None:
    server.replies.extend([TAGGED, TAGGED])
    read(f"{server.url}/data.json", tmp_path)
    [said] = (tmp_path / "downloads").glob("*.json")
    said.write_text("{", encoding="utf-8")
    assert ids(read(f"{server.url}/data.json", tmp_path)) == ["a1", "b2"]
    assert server.requests[1] == ("/data.json", None, None)


def test_a_server_that_fails_leaves_the_copy_of_last_time_with_a_note(server: Server, tmp_path: Path) -> None:
    server.replies.extend([TAGGED, Reply(status=500)])
    url = f"{server.url}/data.json"
    first, second = read(url, tmp_path), read(url, tmp_path)
    reason = "could not be refreshed, the copy of last time is used: the server answers 500 Internal Server Error"
    assert second == [Note(Fault(url, "", reason)), *first]


def test_a_body_that_ends_early_is_not_taken_for_the_whole(server: Server, tmp_path: Path) -> None:
    server.replies.append(Reply(BODY[:50], headers=(("Content-Length", "5000"),)))
    with pytest.raises(SourceError, match=r"data\.json cannot be read: "):
        read(f"{server.url}/data.json", tmp_path)
    assert list((tmp_path / "downloads").iterdir()) == []


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(size=50), "has more than 50 bytes"), (Limits(seconds=-1), "takes longer than -1 seconds")],
    ids=["size", "seconds"],
)
def test_a_body_that_is_too_large_or_takes_too_long_is_a_clear_error(
    limits: Limits, reason: str, server: Server, tmp_path: Path
) -> None:
    server.replies.extend([TAGGED, TAGGED])
    with pytest.raises(SourceError, match=f"the body {reason}"):
        fetch(f"{server.url}/data.json", str(tmp_path), limits)
    assert list(tmp_path.iterdir()) == []


def test_a_copy_that_is_gone_is_fetched_again(server: Server, tmp_path: Path) -> None:
    server.replies.extend([TAGGED, TAGGED])
    copy = Path(fetch(f"{server.url}/data.json", str(tmp_path)).path)
    copy.unlink()
    assert Path(fetch(f"{server.url}/data.json", str(tmp_path)).path).read_bytes() == BODY
    assert server.requests[1] == ("/data.json", None, None)


def test_a_redirect_is_followed_and_a_circle_is_not(server: Server, tmp_path: Path) -> None:
    server.replies.extend([Reply(status=302, headers=(("Location", "/other.json"),)), TAGGED])
    assert ids(read(f"{server.url}/data.json", tmp_path)) == ["a1", "b2"]
    server.replies.extend([Reply(status=302, headers=(("Location", "/circle"),))] * 9)
    with pytest.raises(SourceError, match="redirects"):
        read(f"{server.url}/circle", tmp_path)


@pytest.mark.parametrize("reply", [Reply(status=404), Reply(status=304)], ids=["404", "304"])
def test_a_reply_without_records_is_a_clear_error(reply: Reply, server: Server, tmp_path: Path) -> None:
    server.replies.append(reply)
    with pytest.raises(SourceError, match=rf"data\.json cannot be read: the server answers {reply.status}.*Check the"):
        read(f"{server.url}/data.json", tmp_path)


def test_a_server_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with serving() as gone:
        url = f"{gone.url}/data.json"
    with pytest.raises(SourceError, match="cannot be read: "):
        read(url, tmp_path)


@pytest.mark.parametrize("url", ["http://[::1", "http://", "https://exa mple/", "http://127.0.0.1:99999/x"])
def test_a_url_that_is_none_is_a_clear_error(url: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"check its host and port|cannot be read: "):
        read(url, tmp_path)


def test_a_password_that_makes_a_url_none_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read("http://user:hunter2/data.json", tmp_path)
    assert "hunter2" not in str(caught.value)


def test_passwords_and_tokens_of_a_url_are_shown_nowhere(server: Server, tmp_path: Path) -> None:
    secret = server.url.replace("http://", "http://user:hunter2@") + "/data.json?token=hunter3#hunter4"
    server.replies.extend([Reply(status=500), Reply(b"[3"), Reply(status=500)])
    with pytest.raises(SourceError) as caught:
        read(secret, tmp_path)
    found = [read(secret, tmp_path) for _ in range(2)]
    assert [len(each) for each in found] == [1, 2]
    assert "hunter" not in f"{caught.value}{found}"
    assert f"{server.url}/data.json" in str(caught.value)
