"""Records on their way in: from sources, through the schema, to patterns that can be searched for."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

from whyraise.errors import KnowledgeError, PatternError, SourceError
from whyraise.knowledge import file_format, queries
from whyraise.patterns.parse import Pattern, read_pattern
from whyraise.records.documents import Document, looks_like_json, read_documents
from whyraise.records.record import Fault, Record
from whyraise.records.schema import is_bare, pointer_to_record, read_record
from whyraise.records.sources import Source, files, printable, side_files
from whyraise.records.strict_json import defects, parse_json

# A tree's files are told by content; one whose name promises JSON is reported where it has none.
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson", ".gz", ".zst")


class Arrival(NamedTuple):
    """A usable record with its pattern taken apart.

    `place` is the file it stood in (with the line, in JSON Lines), `pointer` the JSON pointer to it there. `version` is
    its data set's version as the envelope gives it; `analyzed` is `analyzedAt` in seconds since 1970.
    """

    record: Record
    pattern: Pattern
    place: str
    pointer: str
    version: str
    analyzed: float


class Note(NamedTuple):
    """Something about a source or record that is worth saying and keeps no record out."""

    fault: Fault


def arrivals(sources: Iterable[Source]) -> Iterator[Arrival | Fault | Note]:
    """Yield every usable record of all sources, a fault for whatever keeps one from being used, and notes.

    A data set whose name is taken is numbered. A knowledge file brings the names of its own data sets.
    """
    used: set[str] = set()
    for source in sources:
        if source.note:
            yield Note(Fault(source.shown, "", source.note))
        names: dict[str, str] = {}
        for document in documents(source):
            if isinstance(document, Document):
                given = document.dataset or source.name
                names[given] = names.get(given) or _unique(given, used)
                yield from _read(document, names[given])
            else:
                yield document


def documents(source: Source) -> Iterator[Document | Fault | Note]:
    """Yield every document of a source in an order that depends on names and content alone, and what is none."""
    for path in files(source):
        if isinstance(path, Fault):
            yield path
        elif path == source.path:
            yield from _file(path, source.shown)
        elif path.endswith(_JSON_ENDINGS) or _has_json(path):
            yield from _file(path, printable(path))


def _unique(name: str, used: set[str]) -> str:
    chosen, number = name, 1
    while chosen in used:
        number += 1
        chosen = f"{name}-{number}"
    used.add(chosen)
    return chosen


def _has_json(path: str) -> bool:
    try:
        with open(path, "rb") as raw:
            return looks_like_json(raw)
    except OSError:
        return True  # reading it will say what is wrong


def _file(path: str, shown: str) -> Iterator[Document | Fault | Note]:
    if file_format.is_knowledge_file(path):
        yield from _knowledge_file(path, shown)
        return
    try:
        beside = {}
        for name, side_path in side_files(path):
            value = _side_file(side_path)
            if isinstance(value, Fault):
                yield value
            else:
                beside[name] = value
        with open(path, "rb") as raw:
            for document in read_documents(raw, shown):
                yield document._replace(side_files=beside) if isinstance(document, Document) else document
    except OSError as error:
        yield Fault(shown, "", f"cannot be read: {error.strerror}")


def _side_file(path: str) -> object:
    """Return what a file beside a record holds, or a fault."""
    shown = printable(path)
    try:
        with open(path, "rb") as raw:
            data = raw.read()
        value = parse_json(data) if path.endswith(".json") else data.decode("utf-8", "replace")
    except OSError as error:
        return Fault(shown, "", f"cannot be read: {error.strerror}")
    except SourceError as error:
        return Fault(shown, "", str(error))
    return next((Fault(shown, pointer, reason) for pointer, reason in defects(value)), value)


def _knowledge_file(path: str, shown: str) -> Iterator[Document | Fault | Note]:
    """Yield the records of a knowledge file of any known format, and what was said when it was built."""
    try:
        file_format.format_of(path)
    except KnowledgeError as error:
        yield Fault(shown, "", str(error))
        return
    with closing(file_format.connect(path)) as connection:
        yield from queries.faults(connection)
        yield from map(Note, queries.notes(connection))
        for dataset, envelope in queries.envelopes(connection):
            yield Document(shown, "", envelope, dataset=dataset)


def _read(document: Document, dataset: str) -> Iterator[Arrival | Fault | Note]:
    reading = read_record(document, dataset)
    pattern = _pattern(document)
    yield from reading.faults
    yield from map(Note, reading.notes)
    if isinstance(pattern, Fault):
        yield pattern
    elif reading.record is not None and pattern is not None:
        place, pointer = document.file, pointer_to_record(document)
        yield Arrival(reading.record, pattern, place, pointer, reading.version, reading.analyzed)


def _pattern(document: Document) -> Pattern | Fault | None:
    """Take a record's pattern apart, also where something else is wrong with the record; None where it has none."""
    value: Any = document.value
    fields = value if is_bare(document) else value["record"]
    if not isinstance(fields, dict):
        return None
    pattern, message = fields.get("messagePattern"), fields.get("errorMessage")
    if not isinstance(pattern, str) or not isinstance(message, str):
        return None
    try:
        return read_pattern(pattern, message)
    except PatternError as error:
        return Fault(document.file, f"{pointer_to_record(document)}/messagePattern", str(error))
