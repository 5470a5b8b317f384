"""The knowledge file as a file: how it is told from others, its format, and how it is opened."""

from __future__ import annotations

import os
import sqlite3

from whyraise.errors import KnowledgeError

# What SQLite keeps in a file's header for `file` and for us: "WhyR", and the version of the tables.
APPLICATION_ID = int.from_bytes(b"WhyR", "big")


FORMAT = 1


_MAGIC = b"SQLite format 3\0"


_HEADER_BYTES = 100


_MAPPED_BYTES = 2**31 - 65536  # the most that SQLite maps; pages in use are shared, not copied


def open_file(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open a knowledge file for reading, from any thread.

    Raises `KnowledgeError` where the file is missing, foreign, truncated, or of another format version.
    """
    if format_of(path) < FORMAT:
        raise KnowledgeError(
            f"{os.fspath(path)} has an older format; write it anew with `whyraise build {os.fspath(path)} -o FILE`."
        )
    return connect(path)


def connect(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open a file that `format_of` accepts, of this format or an older one."""
    name = os.path.abspath(os.fspath(path)).replace("\\", "/")
    for plain, quoted in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        name = name.replace(plain, quoted)
    uri = f"file:///{name.lstrip('/')}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
    return connection


def is_knowledge_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as a knowledge file does."""
    try:
        header = _header(path)
    except OSError:
        return False
    return header.startswith(_MAGIC) and int.from_bytes(header[68:72], "big") == APPLICATION_ID


def format_of(path: str | os.PathLike[str]) -> int:
    """Return the format version of a knowledge file, at most the one of this program.

    Read from the header alone (SQLite's documentation, "Database File Format", section 1.3). Raises `KnowledgeError`
    where the file is missing, foreign, truncated or newer.
    """
    shown = os.fspath(path)
    try:
        header, size = _header(path), os.path.getsize(path)
    except OSError as error:
        raise KnowledgeError(f"{shown} cannot be read: {error.strerror}.") from error
    if not is_knowledge_file(path):
        raise KnowledgeError(f"{shown} is no knowledge file; `whyraise build SOURCES… -o FILE` writes one.")
    page = int.from_bytes(header[16:18], "big")
    expected = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
    if len(header) < _HEADER_BYTES or size < expected:
        raise KnowledgeError(f"{shown} is truncated: {size:,} of {expected:,} bytes are there. Copy or build it again.")
    version = int.from_bytes(header[60:64], "big")
    if version > FORMAT:
        raise KnowledgeError(f"{shown} has format {version}; this program reads up to {FORMAT}. Update whyraise.")
    return version


def _header(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        return file.read(_HEADER_BYTES)
