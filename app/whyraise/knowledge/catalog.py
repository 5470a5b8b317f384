"""A catalog: all that is known, in one or several open knowledge files that are looked up together.

Many threads may use one catalog at the same time.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice

from whyraise.errors import NotFound
from whyraise.knowledge import queries
from whyraise.knowledge.cache import knowledge_file
from whyraise.knowledge.open_file import OpenFile
from whyraise.matching.scanner import Hits
from whyraise.matching.wording import Wording
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.records.record import DataSet, Fault, Record

if TYPE_CHECKING:
    import sqlite3
    from typing import TypeVar

    _Item = TypeVar("_Item")

# A file's own numbers of literals and records are below this; the file's place in the catalog is added in units of it.
_FILE = 1 << 48
# The first ids that are named if a prefix or slug fits several records.
_MAX_NAMED = 5


class Catalog:
    """The records of knowledge files; of records that fit equally well, those of an earlier file come first."""

    def __init__(self, *files: OpenFile, growing: tuple[str, ...] = ()) -> None:
        """`growing` lists the packages, each as name and version, that are still being mined and will be added."""
        self.files = files
        self.growing = growing
        self.datasets: tuple[DataSet, ...] = tuple(dataset for file in files for dataset in file.datasets)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all that is known, in hexadecimal."""
        if len(self.files) == 1:
            return self.files[0].digest
        import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load, and an answer does without

        return hashlib.sha256("".join(file.digest for file in self.files).encode()).hexdigest()

    def scan(self, data: bytes) -> Hits:
        """Return every literal in a text, in the order of the ends; `data` is the text without whitespace."""
        hits = [file.scan(data) for file in self.files]
        if len(hits) == 1:
            return hits[0]
        numbered = ((literal + place * _FILE, end) for place, found in enumerate(hits) for literal, end in found)
        return sorted(numbered, key=lambda hit: hit[1])

    def wordings(self, literal: int) -> tuple[Wording, ...]:
        """Return the wordings that a literal leads to."""
        place, number = divmod(literal, _FILE)
        return _renumber(place, self.files[place].wordings(number))

    def wordings_by_site(self, class_name: str, function: str) -> tuple[Wording, ...]:
        """Return the wordings without a literal that a function raises with a class of this bare name."""
        return self._gather(lambda file: file.wordings_by_site(class_name, function))

    def wordings_by_class(self, class_name: str) -> tuple[Wording, ...]:
        """Return the wordings without a literal of a class that few statements raise.

        Python's built-in classes are left out, since they are raised everywhere.
        """
        return () if hasattr(builtins, class_name) else self._gather(lambda file: file.wordings_by_class(class_name))

    def wordings_of(self, record_id: str) -> tuple[Wording, ...]:
        """Return the wordings of a record."""
        return self._gather(lambda file: file.wordings_of(record_id))

    def _gather(self, find: Callable[[OpenFile], tuple[Wording, ...]]) -> tuple[Wording, ...]:
        found = (_renumber(place, find(file)) for place, file in enumerate(self.files))
        return tuple(chain.from_iterable(found))

    def record(self, number: int) -> Record:
        """Return the record with the number that a wording of this catalog has."""
        place, own_number = divmod(number, _FILE)
        return self.files[place].record(own_number)

    def own_source(self, number: int) -> str:
        """Return where the record with a number comes from if it is the user's own, or an empty string."""
        return self.files[number // _FILE].own_source

    def record_of(self, name: str) -> Record:
        """Return the record with an id, a slug (alone or as owner/repository/slug), or a unique prefix of an id.

        Raises `NotFound` if there is none, or if several records fit.
        """
        for find in (queries.records_by_id, queries.records_by_any_slug, queries.records_by_prefix):
            records = {record.id: record for file in reversed(self.files) for record in find(file.connection, name)}
            if len(records) > 1:
                ids = ", ".join(sorted(records)[:_MAX_NAMED])
                raise NotFound(f"{name!r} fits several records: {ids}. Give more of the id.")
            if records:
                return next(iter(records.values()))
        raise NotFound(f"No record has the id {name!r}.")

    def records_by_slug(self, repo: str, slug: str) -> tuple[Record, ...]:
        """Return the records with a repository and slug, in the order of their ids."""
        found = self._all(lambda connection: queries.records_by_slug(connection, repo, slug))
        return tuple(sorted(_distinct(found), key=lambda record: record.id))

    def list_records(self, filters: Mapping[str, str], q: str = "", after: str = "", limit: int = 50) -> queries.Page:
        """Return at most `limit` records that match all filters and all words of `q`; their ids follow the id `after`.

        Raises `BadInput` for an unknown filter.
        """
        pages = [queries.list_records(file.connection, filters, q, after, limit) for file in self.files]
        found = _distinct(chain.from_iterable(page.records for page in pages))
        records = sorted(found, key=lambda record: record.id)
        more = len(records) > limit or any(page.after for page in pages)
        return queries.Page(tuple(records[:limit]), records[limit - 1].id if more and len(records) >= limit else "")

    def browse(self, filters: Mapping[str, str], q: str = "", skip: int = 0, limit: int = 50) -> tuple[Record, ...]:
        """Return the records that match all filters and all words of `q`: file by file, best first.

        Raises `BadInput` for an unknown filter.
        """
        found = self._all(lambda connection: queries.browse(connection, filters, q, 0, skip + limit))
        return tuple(islice(_distinct(found), skip, skip + limit))

    def search(self, words: str, limit: int = 10) -> tuple[Record, ...]:
        """Return the record that `words` name, by id or slug, and the records that contain all words, best first.

        Records of an earlier file come first: the user's own, then curated and published ones, then mined ones.
        """
        try:
            named = [self.record_of(words.strip())] if words.strip() and not words.strip().isalpha() else []
        except NotFound:
            named = []
        found = self._all(lambda connection: queries.search(connection, words, limit))
        return tuple(islice(_distinct(chain(named, found)), limit))

    def similar(self, text: str, limit: int) -> tuple[Record, ...]:
        """Return the records that share the most distinctive words with a text, `limit` of each file, best first."""
        return tuple(_distinct(self._all(lambda connection: queries.similar(connection, text, limit))))

    def unmatched_reason(self, record_id: str) -> str:
        """Return why a record cannot be found in a text although it is served by id, or an empty string."""
        reasons = (queries.unmatched_reason(file.connection, record_id) for file in self.files)
        return next(filter(None, reasons), "")

    def faults(self) -> tuple[Fault, ...]:
        """Return what was left out when the files were built, and why."""
        return tuple(self._all(queries.faults))

    def notes(self) -> tuple[Fault, ...]:
        """Return the remarks of the build that did not make a record invalid."""
        return tuple(self._all(queries.notes))

    def unmatched(self) -> tuple[queries.Unmatched, ...]:
        """Return the records that are served by id but cannot be found in a text, in the order of their ids."""
        return tuple(sorted(self._all(queries.unmatched)))

    def counts(self) -> tuple[tuple[str, str, int], ...]:
        """Return repository, origin and number of records for each repository and origin, the largest number first."""
        total: dict[tuple[str, str], int] = {}
        for repo, origin, count in self._all(queries.counts):
            total[repo, origin] = total.get((repo, origin), 0) + count
        return tuple(sorted(((*key, count) for key, count in total.items()), key=lambda row: (-row[2], row)))

    def _all(self, find: Callable[[sqlite3.Connection], Sequence[_Item]]) -> Iterator[_Item]:
        return chain.from_iterable(find(file.connection) for file in self.files)

    def close(self) -> None:
        """Close the files."""
        for file in self.files:
            file.connection.close()


def _distinct(records: Iterator[Record]) -> Iterator[Record]:
    """Yield each record once; of several with one id the first."""
    seen: set[str] = set()
    for record in records:
        if record.id not in seen:
            seen.add(record.id)
            yield record


def _renumber(place: int, wordings: tuple[Wording, ...]) -> tuple[Wording, ...]:
    """Give wordings of the file at a place the numbers that their records have in the catalog."""
    return tuple(wording._replace(record=wording.record + place * _FILE) for wording in wordings) if place else wordings


def open_file(path: str, cache: str) -> Catalog:
    """Open one knowledge file for lookup; raise `KnowledgeError` if it is invalid."""
    return Catalog(OpenFile(path, cache))


def open_sources(sources: Sequence[str], cache: str) -> Catalog:
    """Open the records of paths and URLs for lookup; sources other than one knowledge file are first compiled.

    The compiled file is kept in the folder `cache`. Raises `SourceError` if a source cannot be read, and
    `KnowledgeError` if the cache cannot be written or a knowledge file is invalid.
    """
    return open_file(knowledge_file(sources, cache), cache)
