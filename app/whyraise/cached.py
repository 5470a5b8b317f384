"""The knowledge file for any sources: built once into the cache folder, and found there while nothing changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress

from whyraise import knowledge
from whyraise.errors import KnowledgeError
from whyraise.sources import Source, content_digest, find_sources

# Files of sources as they were before stay for whoever serves them still, or switches back; more are removed.
_KEPT = 8


def knowledge_file(given: Sequence[str | os.PathLike[str]], cache: str) -> str:
    """Return the path of a knowledge file that holds the records of paths and URLs.

    A single file of this format is taken as it is. Whatever else is compiled into the folder `cache`, under a name made
    of the content and of this program's own code. Raises `SourceError` where a source cannot be read, and
    `KnowledgeError` where the cache cannot be written or a single knowledge file is truncated or newer.
    """
    sources = find_sources(given, cache)
    if len(sources) == 1 and _is_current(sources[0]):
        return sources[0].path
    folder = os.path.join(cache, "knowledge")
    path = os.path.join(folder, f"{_code_digest()[:16]}-{content_digest(sources)}.db")
    try:
        knowledge.format_of(path)
    except KnowledgeError:
        _build(sources, path)
    return path


def _is_current(source: Source) -> bool:
    return knowledge.is_knowledge_file(source.path) and knowledge.format_of(source.path) == knowledge.FORMAT


def _build(sources: tuple[Source, ...], path: str) -> None:
    from whyraise.build import write  # noqa: PLC0415 pydantic takes 0.2 s; only a first start needs it

    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with suppress(FileNotFoundError):
            os.unlink(path)  # what is there is damaged
    except OSError as error:
        raise KnowledgeError(f"The cache cannot be written: {error}. Set another folder.") from error
    write(sources, path)
    _forget_old(os.path.dirname(path))


def _forget_old(folder: str) -> None:
    """Remove all but the files that were built last."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".db")]
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[_KEPT:]:
        with suppress(OSError):
            os.unlink(path)


def _code_digest() -> str:
    """Return what changes when another version of this program is installed, which may read patterns differently."""
    digest = hashlib.sha256(str(knowledge.FORMAT).encode())
    with os.scandir(os.path.dirname(os.path.abspath(__file__))) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                known = entry.stat()
                digest.update(f"{entry.name} {known.st_size} {known.st_mtime_ns}\n".encode())
    return digest.hexdigest()
