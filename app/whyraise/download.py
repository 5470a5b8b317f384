"""Records over HTTP: a copy in the cache folder, asked for again only when the server says that it has changed."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import httpx

from whyraise.errors import SourceError

_TIMEOUT = httpx.Timeout(30, connect=10)
_MOST_SECONDS = 600.0
_MOST_REDIRECTS = 5
_MOST_BYTES = 8 * 1024 * 1024 * 1024
# RFC 9110, section 13: which header asks for a change since the answer that had this one.
_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


class Copy(NamedTuple):
    """The local copy of a URL's body; `stale` says why it could not be refreshed, and is empty where it was."""

    path: str
    stale: str = ""


def is_url(source: str) -> bool:
    """Return whether a source is given as an `http` or `https` URL."""
    return source.lower().startswith(("http://", "https://"))


def without_secrets(url: str) -> str:
    """Return a URL without user, password, query and fragment, fit to be shown."""
    try:
        return str(httpx.URL(url).copy_with(username=None, password=None, query=None, fragment=None))
    except (httpx.InvalidURL, ValueError) as error:
        raise SourceError("A URL given as a source is none; check its host and port.") from error


def fetch(url: str, folder: str) -> Copy:
    """Bring the copy of a URL in a folder up to date and return it.

    A server that cannot be reached, or fails, leaves the copy of last time to be used. Raises `SourceError` where there
    is none.
    """
    shown = without_secrets(url)
    path = os.path.join(folder, hashlib.sha256(url.encode()).hexdigest())
    os.makedirs(folder, exist_ok=True)
    try:
        _refresh(url, path)
    except (httpx.HTTPError, httpx.InvalidURL, SourceError) as error:
        reason = str(error) or type(error).__name__
        if os.path.exists(path):
            return Copy(path, f"could not be refreshed, the copy of last time is used: {reason}")
        raise SourceError(
            f"{shown} cannot be read: {reason}. Check the address, or save the file and name it."
        ) from error
    return Copy(path)


def _refresh(url: str, path: str) -> None:
    with (
        httpx.Client(timeout=_TIMEOUT, follow_redirects=True, max_redirects=_MOST_REDIRECTS) as client,
        client.stream("GET", url, headers=_conditions(path)) as response,
    ):
        if response.status_code == httpx.codes.NOT_MODIFIED and os.path.exists(path):
            return
        if response.status_code != httpx.codes.OK:
            raise SourceError(f"the server answers {response.status_code} {response.reason_phrase}".strip())
        _save(response, path)


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


def _save(response: httpx.Response, path: str) -> None:
    """Replace the copy; what the server said of it is written last, so that a torn write is fetched again."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            _copy_body(response, file.write)
        with suppress(FileNotFoundError):
            os.unlink(path + ".json")
        os.replace(part, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)
    said = {name: response.headers[name] for name in _CONDITIONS if name in response.headers}
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(said, file)


def _copy_body(response: httpx.Response, write: Callable[[bytes], object]) -> None:
    deadline, size = time.monotonic() + _MOST_SECONDS, 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > _MOST_BYTES:
            raise SourceError(f"the body has more than {_MOST_BYTES:,} bytes")
        if time.monotonic() > deadline:
            raise SourceError(f"the body takes longer than {_MOST_SECONDS:.0f} seconds")
        write(chunk)
