"""The file format of knowledge files: recognize such a file, check its format version, and open it."""

from __future__ import annotations

import os
import sqlite3

from whyraise.errors import KnowledgeError
from whyraise.knowledge.connection import Connection

# SQLite's header has two fields for applications: an id, here "WhyR", and a version, here that of the tables.
APPLICATION_ID = int.from_bytes(b"WhyR", "big")
FORMAT = 1

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_MAPPED_BYTES = 2**31 - 65536  # the most that SQLite maps; processes share mapped pages instead of copying them


def open_file(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open a knowledge file for reading, from any thread.

    Raises `KnowledgeError` if the file is missing, not a knowledge file, truncated, or of another format version.
    """
    if format_of(path) < FORMAT:
        raise KnowledgeError(
            f"{os.fspath(path)} has an older format; rebuild it with `whyraise build {os.fspath(path)} -o FILE`."
        )
    return connect(path)


def connect(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open a file that `format_of` accepts, of the current format or an older one."""
    name = os.path.abspath(os.fspath(path)).replace("\\", "/")
    for character, escaped in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        name = name.replace(character, escaped)
    uri = f"file:///{name.lstrip('/')}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, factory=Connection)
    connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
    return connection


def is_knowledge_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file has the header of a knowledge file."""
    try:
        header = _header(path)
    except OSError:
        return False
    return header.startswith(_MAGIC) and int.from_bytes(header[68:72], "big") == APPLICATION_ID


def format_of(path: str | os.PathLike[str]) -> int:
    """Return the format version of a knowledge file, at most `FORMAT`.

    Only the header is read (SQLite's documentation, "Database File Format", section 1.3). Raises `KnowledgeError` if
    the file is missing, not a knowledge file, truncated, or of a newer format.
    """
    name = os.fspath(path)
    try:
        header, size = _header(path), os.path.getsize(path)
    except OSError as error:
        raise KnowledgeError(f"{name} cannot be read: {error.strerror}.") from error
    if not is_knowledge_file(path):
        raise KnowledgeError(f"{name} is not a knowledge file; create one with `whyraise build SOURCES… -o FILE`.")
    page = int.from_bytes(header[16:18], "big")
    expected = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
    if len(header) < _HEADER_BYTES or size < expected:
        raise KnowledgeError(f"{name} is truncated: it has {size:,} of {expected:,} bytes. Copy or build it again.")
    version = int.from_bytes(header[60:64], "big")
    if version > FORMAT:
        raise KnowledgeError(f"{name} has format {version}; this program reads up to {FORMAT}. Update whyraise.")
    return version


def _header(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        return file.read(_HEADER_BYTES)
