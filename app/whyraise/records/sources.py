"""Find the sources of records: files, folder trees and URLs; each source is one data set."""

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

# If a folder has this file, its other files are not read as records, but some of them are side files of the record.
RECORD_FILE = "record.json"
# The side files, by their key in `Record.beside`. The scenario is kept as text, because a proof depends on its text.
SIDE_FILES = {
    "wordings": "wordings.json", "correction": "correction.json", "proof": "proof.json", "scenario": "scenario.py",
}  # fmt: skip

# The folder of an installed package that holds the bundled records.
BUNDLED = "_records"

_COMPRESSED_SUFFIXES, _SUFFIXES = (".gz", ".zst"), (".json", ".jsonl", ".ndjson", ".sqlite", ".db")


class Source(NamedTuple):
    """One source: the name of its data set, a name for messages, its local path, and a note for users, if any."""

    name: str
    display_name: str
    path: str
    note: str = ""


def bundled_records() -> str:
    """Return the folder of the records that come with this package; in a checkout it is reached through a link."""
    return os.path.realpath(os.path.join(PACKAGE, BUNDLED))


def find_sources(places: Sequence[str | os.PathLike[str]], cache: str) -> tuple[Source, ...]:
    """Return the sources for paths and URLs; downloads are kept in the folder `cache`.

    A data set is named after its folder, after its file without suffixes such as `.json.gz`, or after the last part of
    its URL. Raises `SourceError` if a source cannot be read.
    """
    texts = [os.fspath(place) for place in places]
    return tuple(_download(text, cache) if _is_url(text) else _local(text) for text in texts)


def files(source: Source) -> Iterator[str | Fault]:
    """Yield the path of every file that may hold records, ordered by name, and a fault for each unreadable folder.

    A folder with a `record.json` contributes only that file. Hidden files and folders are skipped, and so are links to
    folders, devices and pipes.
    """
    if not os.path.isdir(source.path):
        yield source.path
        return
    errors: list[OSError] = []
    for folder, folders, names in os.walk(source.path, onerror=errors.append):
        if RECORD_FILE in names:
            folders[:], names = [], [RECORD_FILE]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (os.path.join(folder, name) for name in sorted(names) if not name.startswith("."))
        yield from (path for path in paths if os.path.isfile(path))
    yield from (Fault(printable(error.filename), "", f"cannot be listed: {error.strerror}") for error in errors)


def side_files(path: str) -> tuple[tuple[str, str], ...]:
    """Return the name (a key of `SIDE_FILES`) and the path of each side file of a `record.json`."""
    folder = os.path.dirname(path)
    if os.path.basename(path) != RECORD_FILE:
        return ()
    candidates = ((name, os.path.join(folder, file)) for name, file in SIDE_FILES.items())
    return tuple((name, path) for name, path in candidates if os.path.isfile(path))


def content_digest(sources: Sequence[Source]) -> str:
    """Return the SHA-256 of the names and bytes of all files of the sources, in hexadecimal."""
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load, and most starts do not need it

    digest = hashlib.sha256()
    for source in sources:
        _add(digest, source.name)
        for path in files(source):
            if isinstance(path, str):
                for file in (path, *(side_path for _, side_path in side_files(path))):
                    _add(digest, os.path.relpath(file, source.path))
                    _add(digest, _file_digest(file))
    return digest.hexdigest()


def fingerprint(sources: Sequence[Source]) -> str:
    """Return a short text that changes if a file of the sources is added, removed, resized or modified."""
    checksum, total = 0, 0
    for source in sources:
        checksum = zlib.crc32(os.fsencode(f"{source.name}\0{os.path.abspath(source.path)}"), checksum)
        for path in _fingerprint_paths(source):
            status = os.stat(path)
            checksum = zlib.crc32(os.fsencode(f"{path}\0{status.st_size}\0{status.st_mtime_ns}"), checksum)
            total += status.st_size + status.st_mtime_ns
    return f"{checksum:08x}{total & (2**64 - 1):016x}"


def _fingerprint_paths(source: Source) -> Iterator[str]:
    """Yield the paths whose sizes and times show whether a source has changed.

    For the bundled records this is their folder alone: a new installation recreates it, and checking each of a hundred
    records took half as long as starting Python.
    """
    if os.path.basename(source.path) == BUNDLED and source.path == bundled_records():
        yield source.path
        return
    for path in files(source):
        if isinstance(path, str):
            yield from (path, *(side_path for _, side_path in side_files(path)))


def printable(path: str) -> str:
    """Return a path as valid UTF-8 text; bytes that are not UTF-8 are shown as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _is_url(place: str) -> bool:
    return place.lower().startswith(("http://", "https://"))


def _local(place: str) -> Source:
    display_name = printable(place)
    try:
        mode = os.stat(place).st_mode
    except (OSError, ValueError) as error:
        raise SourceError(
            f"{display_name} cannot be read: {getattr(error, 'strerror', error)}. Name a file, folder or URL."
        ) from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise SourceError(f"{display_name} is neither a file nor a folder. Name a file, folder or URL.")
    base = printable(os.path.basename(os.path.abspath(place)))
    # The `_records` folder of an installed package is the same data set as the `records` folder of a checkout.
    name = base.removeprefix("_") if base == BUNDLED else base if stat.S_ISDIR(mode) else _stem(base)
    return Source(name or "records", display_name, place)


def _download(url: str, cache: str) -> Source:
    from whyraise.records.download import fetch, without_secrets  # noqa: PLC0415 httpx takes 0.2 s; only a URL needs it

    public_url = without_secrets(url)
    copy = fetch(url, os.path.join(cache, "downloads"))
    parts = [part for part in public_url.split("://", 1)[1].split("/") if part]
    return Source(_stem(parts[-1]) if len(parts) > 1 else parts[0], public_url, copy.path, copy.stale)


def _stem(name: str) -> str:
    for suffixes in (_COMPRESSED_SUFFIXES, _SUFFIXES):
        for suffix in suffixes:
            name = name.removesuffix(suffix) or name
    return name


def _add(digest: Hash, text: str) -> None:
    """Add a text with its length, so that different lists of texts never add the same bytes."""
    data = os.fsencode(text)
    digest.update(len(data).to_bytes(8, "big") + data)


def _file_digest(path: str) -> str:
    import hashlib  # noqa: PLC0415  # see `content_digest`

    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.errno}"
