"""Find the knowledge file for some sources in the cache folder; build it if it is missing or its sources changed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from whyraise.errors import KnowledgeError
from whyraise.files import KEPT, code_checksum, remove, remove_old, replace_file
from whyraise.knowledge import file_format
from whyraise.records.sources import Source, content_digest, find_sources, fingerprint

# The packages whose code determines the content of a knowledge file.
CODE_PACKAGES = ("patterns", "records", "matching", "knowledge")


def knowledge_file(places: Sequence[str | os.PathLike[str]], cache: str, *, keep: int = KEPT) -> str:
    """Return the path of a knowledge file that holds the records of paths and URLs.

    A single knowledge file of the current format is used as it is. Other sources are compiled into the folder `cache`,
    under a name that depends on their content and on this program's own code; the newest `keep` files stay.
    Raises `SourceError` if a source cannot be read, and `KnowledgeError` if the cache cannot be written or a single
    knowledge file is truncated or newer.
    """
    sources = find_sources(places, cache)
    if len(sources) == 1 and _is_current(sources[0]):
        return sources[0].path
    folder, code = os.path.join(cache, "knowledge"), code_checksum(*CODE_PACKAGES)
    # Reading all content for its digest is slow, so a note file, named after the sizes and times of the source files,
    # remembers the path that the digest led to.
    note = os.path.join(folder, f"{fingerprint(sources)}-{code}.note")
    path = _read_note(note)
    if not path or not is_usable(path):
        path = os.path.join(folder, f"{code}-{content_digest(sources)}.db")
        if not is_usable(path):
            _build(sources, path, keep)
        _write_note(note, path)
    return path


def is_usable(path: str) -> bool:
    """Return whether a file in the cache is complete and has the current format."""
    try:
        return file_format.format_of(path) == file_format.FORMAT
    except KnowledgeError:
        return False


def _read_note(note: str) -> str:
    """Return the path in a note file, or an empty string if there is no such file."""
    try:
        with open(note, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _write_note(note: str, path: str) -> None:
    """Write a note file; if that fails, the next start only has to compute the digest again."""
    try:
        replace_file(note, path.encode())
    except OSError:
        return


def _is_current(source: Source) -> bool:
    return file_format.is_knowledge_file(source.path) and file_format.format_of(source.path) == file_format.FORMAT


def _build(sources: tuple[Source, ...], path: str, keep: int) -> None:
    """Build a knowledge file in the cache, and remove old files and the notes that refer to removed files."""
    from whyraise.knowledge.build import write  # noqa: PLC0415 pydantic takes 0.2 s; only a first start needs it

    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise KnowledgeError(f"The cache cannot be written: {error}. Set another folder.") from error
    remove(path)  # a file of this name that exists is damaged
    write(sources, path)
    folder = os.path.dirname(path)
    remove_old(folder, ".db", keep)
    notes = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".note")]
    for note in notes:
        if not os.path.exists(_read_note(note)):
            remove(note)
