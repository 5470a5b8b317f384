"""The knowledge file for any sources: built once into the cache folder, and found there while nothing changes."""

from __future__ import annotations

import os
from collections.abc import Sequence

from whyraise.errors import KnowledgeError
from whyraise.files import code_sum, forget_old, remove
from whyraise.knowledge import file_format
from whyraise.records.sources import Source, content_digest, find_sources, fingerprint

# The packages whose code decides what stands in a knowledge file.
SHAPING = ("patterns", "records", "matching", "knowledge")


def knowledge_file(given: Sequence[str | os.PathLike[str]], cache: str) -> str:
    """Return the path of a knowledge file that holds the records of paths and URLs.

    A single file of this format is taken as it is. Whatever else is compiled into the folder `cache`, under a name made
    of the content and of this program's own code. Raises `SourceError` where a source cannot be read, and
    `KnowledgeError` where the cache cannot be written or a single knowledge file is truncated or newer.
    """
    sources = find_sources(given, cache)
    if len(sources) == 1 and _is_current(sources[0]):
        return sources[0].path
    folder, code = os.path.join(cache, "knowledge"), code_sum(*SHAPING)
    # The digest of everything takes long to read; it is noted under the sizes and times of the files it was read from.
    note = os.path.join(folder, f"{fingerprint(sources)}-{code}.note")
    path = _noted(note)
    if not path or not _is_whole(path):
        path = os.path.join(folder, f"{code}-{content_digest(sources)}.db")
        if not _is_whole(path):
            _build(sources, path)
        _write_note(note, path)
    return path


def _is_whole(path: str) -> bool:
    try:
        return file_format.format_of(path) == file_format.FORMAT
    except KnowledgeError:
        return False


def _noted(note: str) -> str:
    try:
        with open(note, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _write_note(note: str, path: str) -> None:
    """Note the digest's file; a cache that cannot be written to costs the digest again, no more."""
    part = f"{note}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(path)
        os.replace(part, note)
    except OSError:
        return


def _is_current(source: Source) -> bool:
    return file_format.is_knowledge_file(source.path) and file_format.format_of(source.path) == file_format.FORMAT


def _build(sources: tuple[Source, ...], path: str) -> None:
    from whyraise.knowledge.build import write  # noqa: PLC0415 pydantic takes 0.2 s; only a first start needs it

    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise KnowledgeError(f"The cache cannot be written: {error}. Set another folder.") from error
    remove(path)  # what is there is damaged
    write(sources, path)
    folder = os.path.dirname(path)
    forget_old(folder, ".db")
    notes = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".note")]
    for note in notes:
        if not os.path.exists(_noted(note)):
            remove(note)
