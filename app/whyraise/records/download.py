"""Download records over HTTP into the cache folder; download them again only if the server says that they changed."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import httpx

from whyraise.errors import SourceError
from whyraise.files import Replacement

_TIMEOUT = httpx.Timeout(30, connect=10)
_MAX_REDIRECTS = 5
# RFC 9110, section 13: the request header that makes a request conditional on each response header.
_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


class Limits(NamedTuple):
    """The limits for a response body: its size in bytes, and the time for its download in seconds."""

    size: int = 8 * 1024 * 1024 * 1024
    seconds: float = 600.0


_LIMITS = Limits()


class Copy(NamedTuple):
    """The cached copy of a URL's body; `stale` is why it could not be refreshed, empty if it is current."""

    path: str
    stale: str = ""


def without_secrets(url: str) -> str:
    """Return a URL without user, password, query and fragment, so that it can be shown."""
    try:
        return str(httpx.URL(url).copy_with(username=None, password=None, query=None, fragment=None))
    except (httpx.InvalidURL, ValueError) as error:
        raise SourceError("A source URL is invalid; check its host and port.") from error


def fetch(url: str, folder: str, limits: Limits = _LIMITS) -> Copy:
    """Refresh the cached copy of a URL in a folder, and return it.

    If the server cannot be reached or fails, the existing copy is used. Raises `SourceError` if there is none.
    """
    public_url = without_secrets(url)
    path = os.path.join(folder, hashlib.sha256(url.encode()).hexdigest())
    os.makedirs(folder, exist_ok=True)
    try:
        _refresh(url, path, limits)
    except (httpx.HTTPError, httpx.InvalidURL, SourceError) as error:
        reason = str(error) or type(error).__name__
        if os.path.exists(path):
            return Copy(path, f"could not be refreshed, so the cached copy is used: {reason}")
        raise SourceError(
            f"{public_url} cannot be read: {reason}. Check the address, or download the file and pass its path."
        ) from error
    return Copy(path)


def _refresh(url: str, path: str, limits: Limits) -> None:
    with (
        httpx.Client(timeout=_TIMEOUT, follow_redirects=True, max_redirects=_MAX_REDIRECTS) as client,
        client.stream("GET", url, headers=_conditions(path)) as response,
    ):
        if response.status_code == httpx.codes.NOT_MODIFIED and os.path.exists(path):
            return
        if response.status_code != httpx.codes.OK:
            raise SourceError(f"the server responded with {response.status_code} {response.reason_phrase}".strip())
        _save(response, path, limits)


def _conditions(path: str) -> dict[str, str]:
    """Return the headers that request the body only if it differs from the cached copy."""
    try:
        with open(path + ".json", encoding="utf-8") as file:
            cached = json.load(file)
    except (OSError, ValueError):
        return {}
    if not os.path.exists(path):
        return {}
    return {request: cached[response] for response, request in _CONDITIONS.items() if response in cached}


def _save(response: httpx.Response, path: str, limits: Limits) -> None:
    """Replace the cached copy; write the response headers last, so that an interrupted download is repeated."""
    with Replacement(path) as temporary:
        with open(temporary, "wb") as file:
            for chunk in _body(response, limits):
                file.write(chunk)
        with suppress(FileNotFoundError):
            os.unlink(path + ".json")
    headers = {name: response.headers[name] for name in _CONDITIONS if name in response.headers}
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(headers, file)


def _body(response: httpx.Response, limits: Limits) -> Iterator[bytes]:
    deadline, size = time.monotonic() + limits.seconds, 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > limits.size:
            raise SourceError(f"the body has more than {limits.size:,} bytes")
        if time.monotonic() > deadline:
            raise SourceError(f"the body takes longer than {limits.seconds:,.0f} seconds")
        yield chunk
