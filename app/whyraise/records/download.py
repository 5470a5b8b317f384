"""Records over HTTP: a copy in the cache folder, asked for again only when the server says that it has changed."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import httpx

from whyraise.errors import SourceError

_TIMEOUT = httpx.Timeout(30, connect=10)
_MOST_REDIRECTS = 5
# RFC 9110, section 13: which header asks for a change since the answer that had this one.
_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


class Limits(NamedTuple):
    """Most bytes of a body, and most seconds that it may take."""

    size: int = 8 * 1024 * 1024 * 1024
    seconds: float = 600.0


_LIMITS = Limits()


class Copy(NamedTuple):
    """The local copy of a URL's body; `stale` says why it could not be refreshed, and is empty where it was."""

    path: str
    stale: str = ""


def without_secrets(url: str) -> str:
    """Return a URL without user, password, query and fragment, fit to be shown."""
    try:
        return str(httpx.URL(url).copy_with(username=None, password=None, query=None, fragment=None))
    except (httpx.InvalidURL, ValueError) as error:
        raise SourceError("A URL given as a source is none; check its host and port.") from error


def fetch(url: str, folder: str, limits: Limits = _LIMITS) -> Copy:
    """Bring the copy of a URL in a folder up to date and return it.

    A server that cannot be reached, or fails, leaves the copy of last time to be used. Raises `SourceError` where there
    is none.
    """
    shown = without_secrets(url)
    path = os.path.join(folder, hashlib.sha256(url.encode()).hexdigest())
    os.makedirs(folder, exist_ok=True)
    try:
        _refresh(url, path, limits)
    except (httpx.HTTPError, httpx.InvalidURL, SourceError) as error:
        reason = str(error) or type(error).__name__
        if os.path.exists(path):
            return Copy(path, f"could not be refreshed, the copy of last time is used: {reason}")
        raise SourceError(
            f"{shown} cannot be read: {reason}. Check the address, or save the file and name it."
        ) from error
    return Copy(path)


def _refresh(url: str, path: str, limits: Limits) -> None:
    with (
        httpx.Client(timeout=_TIMEOUT, follow_redirects=True, max_redirects=_MOST_REDIRECTS) as client,
        client.stream("GET", url, headers=_conditions(path)) as response,
    ):
        if response.status_code == httpx.codes.NOT_MODIFIED and os.path.exists(path):
            return
        if response.status_code != httpx.codes.OK:
            raise SourceError(f"the server answers {response.status_code} {response.reason_phrase}".strip())
        _save(response, path, limits)


def _conditions(path: str) -> dict[str, str]:
    """Return the headers that ask for the body only where it differs from the copy."""
    try:
        with open(path + ".json", encoding="utf-8") as file:
            known = json.load(file)
    except (OSError, ValueError):
        return {}
    if not os.path.exists(path):
        return {}
    return {asked: known[said] for said, asked in _CONDITIONS.items() if said in known}


def _save(response: httpx.Response, path: str, limits: Limits) -> None:
    """Replace the copy; what the server said of it is written last, so that a torn write is fetched again."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            for piece in _body(response, limits):
                file.write(piece)
        with suppress(FileNotFoundError):
            os.unlink(path + ".json")
        os.replace(part, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)
    said = {name: response.headers[name] for name in _CONDITIONS if name in response.headers}
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(said, file)


def _body(response: httpx.Response, limits: Limits) -> Iterator[bytes]:
    deadline, size = time.monotonic() + limits.seconds, 0
    for piece in response.iter_bytes():
        size += len(piece)
        if size > limits.size:
            raise SourceError(f"the body has more than {limits.size:,} bytes")
        if time.monotonic() > deadline:
            raise SourceError(f"the body takes longer than {limits.seconds:,.0f} seconds")
        yield piece
