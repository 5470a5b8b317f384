"""Sources of records: files, folder trees and URLs, each of them one data set."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator, Sequence

from whyraise.errors import SourceError
from whyraise.files import PACKAGE
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.records.record import Fault

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

# The file that alone speaks for its folder, and the files beside it, under the names by which a record carries them.
RECORD_FILE = "record.json"
# The scenario is kept as text: a proof speaks of it.
SIDE_FILES = {
    "wordings": "wordings.json", "correction": "correction.json", "proof": "proof.json", "scenario": "scenario.py",
}  # fmt: skip

# The folder of an installed package that holds the bundled records.
BUNDLED = "_records"

_PACKED, _ENDINGS = (".gz", ".zst"), (".json", ".jsonl", ".ndjson", ".sqlite", ".db")


class Source(NamedTuple):
    """One source: the name of its data set, how it is shown to people, its local path, and what is to be said of it."""

    name: str
    shown: str
    path: str
    note: str = ""


def bundled_records() -> str:
    """Return the folder of the records that come with this package; in a checkout a link leads to it."""
    return os.path.realpath(os.path.join(PACKAGE, BUNDLED))


def find_sources(given: Sequence[str | os.PathLike[str]], cache: str) -> tuple[Source, ...]:
    """Return the sources that paths and URLs name; bodies of URLs are kept in the folder `cache`.

    A data set takes the name of its folder, its file without what tells the format, or the last part of its URL.
    Raises `SourceError` where there is nothing to read.
    """
    places = [os.fspath(place) for place in given]
    return tuple(_fetched(place, cache) if _is_url(place) else _local(place) for place in places)


def files(source: Source) -> Iterator[str | Fault]:
    """Yield the path of every file that may hold records, in the order of the names; what cannot be listed is a fault.

    A folder that has a `record.json` contributes that file alone. Hidden files and folders are left out, and so are
    links to folders, devices and pipes.
    """
    if not os.path.isdir(source.path):
        yield source.path
        return
    failed: list[OSError] = []
    for folder, folders, names in os.walk(source.path, onerror=failed.append):
        if RECORD_FILE in names:
            folders[:], names = [], [RECORD_FILE]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (os.path.join(folder, name) for name in sorted(names) if not name.startswith("."))
        yield from (path for path in paths if os.path.isfile(path))
    yield from (Fault(printable(error.filename), "", f"cannot be listed: {error.strerror}") for error in failed)


def side_files(path: str) -> tuple[tuple[str, str], ...]:
    """Return name and path of the files that lie beside a folder's `record.json`."""
    folder = os.path.dirname(path)
    if os.path.basename(path) != RECORD_FILE:
        return ()
    beside = ((name, os.path.join(folder, file)) for name, file in SIDE_FILES.items())
    return tuple((name, path) for name, path in beside if os.path.isfile(path))


def content_digest(sources: Sequence[Source]) -> str:
    """Return the SHA-256 over the names and bytes of everything that the sources hold, in hexadecimal."""
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load, and most starts do without

    digest = hashlib.sha256()
    for source in sources:
        _add(digest, source.name)
        for path in files(source):
            if isinstance(path, str):
                for each in (path, *(beside for _, beside in side_files(path))):
                    _add(digest, os.path.relpath(each, source.path))
                    _add(digest, _file_digest(each))
    return digest.hexdigest()


def fingerprint(sources: Sequence[Source]) -> str:
    """Return a short text that changes when a file of the sources is added, removed, resized or written to."""
    sums, total = 0, 0
    for source in sources:
        sums = zlib.crc32(os.fsencode(f"{source.name}\0{os.path.abspath(source.path)}"), sums)
        for path in _telling(source):
            state = os.stat(path)
            sums = zlib.crc32(os.fsencode(f"{path}\0{state.st_size}\0{state.st_mtime_ns}"), sums)
            total += state.st_size + state.st_mtime_ns
    return f"{sums:08x}{total & (2**64 - 1):016x}"


def _telling(source: Source) -> Iterator[str]:
    """Yield the paths whose sizes and times tell a change.

    What a package was installed with changes when it is installed again, which makes its folder anew: to look at a
    hundred records took half of a bare Python start.
    """
    if os.path.basename(source.path) == BUNDLED and source.path == bundled_records():
        yield source.path
        return
    for path in files(source):
        if isinstance(path, str):
            yield from (path, *(beside for _, beside in side_files(path)))


def printable(path: str) -> str:
    """Return a path as text that UTF-8 can carry; bytes that are none are shown as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _is_url(place: str) -> bool:
    return place.lower().startswith(("http://", "https://"))


def _local(place: str) -> Source:
    shown = printable(place)
    try:
        mode = os.stat(place).st_mode
    except (OSError, ValueError) as error:
        raise SourceError(
            f"{shown} cannot be read: {getattr(error, 'strerror', error)}. Name a file, folder or URL."
        ) from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise SourceError(f"{shown} is neither a file nor a folder. Name one, or a URL.")
    base = printable(os.path.basename(os.path.abspath(place)))
    # What an installed package carries is the same data set as the folder it was made from.
    name = base.removeprefix("_") if base == BUNDLED else base if stat.S_ISDIR(mode) else _stem(base)
    return Source(name or "records", shown, place)


def _fetched(url: str, cache: str) -> Source:
    from whyraise.records.download import fetch, without_secrets  # noqa: PLC0415 httpx takes 0.2 s; only a URL needs it

    shown = without_secrets(url)
    copy = fetch(url, os.path.join(cache, "downloads"))
    parts = [part for part in shown.split("://", 1)[1].split("/") if part]
    return Source(_stem(parts[-1]) if len(parts) > 1 else parts[0], shown, copy.path, copy.stale)


def _stem(name: str) -> str:
    for endings in (_PACKED, _ENDINGS):
        for ending in endings:
            name = name.removesuffix(ending) or name
    return name


def _add(digest: Hash, text: str) -> None:
    """Add a text so that no two lists of texts add the same bytes."""
    data = os.fsencode(text)
    digest.update(len(data).to_bytes(8, "big") + data)


def _file_digest(path: str) -> str:
    import hashlib  # noqa: PLC0415  # as above

    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.errno}"
