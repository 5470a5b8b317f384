"""Ingest records: read them from sources, validate them and parse their patterns."""

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

# Files in a folder are recognized by their content. A file with one of these suffixes is always read, so that it is
# reported if it holds no JSON.
_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson", ".gz", ".zst")


class IngestedRecord(NamedTuple):
    """A valid record with its parsed pattern.

    `place` is the file that it comes from (with the line number, in JSON Lines), `pointer` the JSON pointer to it in
    that file. `version` is the version of its data set, as given by its envelope; `analyzed` is `analyzedAt` in seconds
    since 1970.
    """

    record: Record
    pattern: Pattern
    place: str
    pointer: str
    version: str
    analyzed: float


class Note(NamedTuple):
    """A remark about a source or record that does not make a record invalid."""

    fault: Fault


def ingest(sources: Iterable[Source]) -> Iterator[IngestedRecord | Fault | Note]:
    """Yield every valid record of all sources, a fault for everything that is invalid, and notes.

    If the name of a data set is taken, a number is appended. A knowledge file brings the names of its own data sets.
    """
    used: set[str] = set()
    for source in sources:
        if source.note:
            yield Note(Fault(source.display_name, "", source.note))
        names: dict[str, str] = {}
        for document in documents(source):
            if isinstance(document, Document):
                name = document.dataset or source.name
                names[name] = names.get(name) or _unique(name, used)
                yield from _read(document, names[name])
            else:
                yield document


def documents(source: Source) -> Iterator[Document | Fault | Note]:
    """Yield every document of a source, and faults and notes; the order depends on names and content alone."""
    for path in files(source):
        if isinstance(path, Fault):
            yield path
        elif path == source.path:
            yield from _read_file(path, source.display_name)
        elif path.endswith(_JSON_SUFFIXES) or _has_json(path):
            yield from _read_file(path, printable(path))


def _unique(name: str, used: set[str]) -> str:
    unique, number = name, 1
    while unique in used:
        number += 1
        unique = f"{name}-{number}"
    used.add(unique)
    return unique


def _has_json(path: str) -> bool:
    try:
        with open(path, "rb") as raw:
            return looks_like_json(raw)
    except OSError:
        return True  # reading the file will report the error


def _read_file(path: str, display_name: str) -> Iterator[Document | Fault | Note]:
    if file_format.is_knowledge_file(path):
        yield from _read_knowledge_file(path, display_name)
        return
    try:
        side_file_values = {}
        for name, side_path in side_files(path):
            value = _read_side_file(side_path)
            if isinstance(value, Fault):
                yield value
            else:
                side_file_values[name] = value
        with open(path, "rb") as raw:
            for document in read_documents(raw, display_name):
                yield document._replace(side_files=side_file_values) if isinstance(document, Document) else document
    except OSError as error:
        yield Fault(display_name, "", f"cannot be read: {error.strerror}")


def _read_side_file(path: str) -> object:
    """Return the parsed JSON or the text of a side file, or a fault."""
    display_name = printable(path)
    try:
        with open(path, "rb") as raw:
            data = raw.read()
        value = parse_json(data) if path.endswith(".json") else data.decode("utf-8", "replace")
    except OSError as error:
        return Fault(display_name, "", f"cannot be read: {error.strerror}")
    except SourceError as error:
        return Fault(display_name, "", str(error))
    return next((Fault(display_name, pointer, reason) for pointer, reason in defects(value)), value)


def _read_knowledge_file(path: str, display_name: str) -> Iterator[Document | Fault | Note]:
    """Yield the records of a knowledge file of any known format, and the faults and notes of its build."""
    try:
        file_format.format_of(path)
    except KnowledgeError as error:
        yield Fault(display_name, "", str(error))
        return
    with closing(file_format.connect(path)) as connection:
        yield from queries.faults(connection)
        yield from map(Note, queries.notes(connection))
        for dataset, envelope in queries.envelopes(connection):
            yield Document(display_name, "", envelope, dataset=dataset)


def _read(document: Document, dataset: str) -> Iterator[IngestedRecord | Fault | Note]:
    reading = read_record(document, dataset)
    pattern = _parse_pattern(document)
    yield from reading.faults
    yield from map(Note, reading.notes)
    if isinstance(pattern, Fault):
        yield pattern
    elif reading.record is not None and pattern is not None:
        place, pointer = document.file, pointer_to_record(document)
        yield IngestedRecord(reading.record, pattern, place, pointer, reading.version, reading.analyzed)


def _parse_pattern(document: Document) -> Pattern | Fault | None:
    """Parse a record's pattern, even if the record has other faults; return None if it has no pattern."""
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
