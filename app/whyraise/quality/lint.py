"""What is wrong with records, and what is doubtful: everything at once, for whoever writes or publishes them."""

import ast
import os
import re
import tempfile
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from whyraise.knowledge.build import write
from whyraise.knowledge.catalog import Catalog
from whyraise.knowledge.ingest import Arrival, arrivals
from whyraise.lookup.explain import look_at
from whyraise.matching import wording
from whyraise.patterns.chain import Chain, Expression
from whyraise.patterns.format_strings import renderings
from whyraise.patterns.parse import Pattern
from whyraise.records.excerpt import is_python, line_at, raises
from whyraise.records.record import Fault, Record
from whyraise.records.sources import find_sources

_CODE_FIELDS = ("exampleFix", "validationCode", "typeGuard", "tryCatchPattern")
# Python's parser recurses; what is longer than this is no snippet.
_LONGEST_CODE = 100_000
_MOST_OTHERS = 5
_LINES = re.compile(r"L(\d+)(?:-L?(\d+))?")

# A field of the record, and what is doubtful about it.
Doubt = tuple[str, str]


class Report(NamedTuple):
    """How many records can be used, what keeps the others from it, and what is doubtful or worth a note."""

    records: int
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]


def check(sources: Sequence[str | os.PathLike[str]]) -> Report:
    """Read paths and URLs as they would be served, and report every fault and warning of every record.

    Raises `SourceError` where a source cannot be read at all.
    """
    with tempfile.TemporaryDirectory() as folder:
        found = find_sources(sources, folder)
        built = write(found, os.path.join(folder, "knowledge"))
        catalog = Catalog(built.path, folder)
        doubts = tuple(_warnings(arrivals(found), catalog))
        catalog.connection.close()
    return Report(built.records, built.faults, built.notes + doubts)


def _warnings(coming: Iterable[object], catalog: Catalog) -> Iterator[Fault]:
    for arrival in coming:
        if isinstance(arrival, Arrival):
            for field, reason in _doubts(arrival.record, arrival.pattern, catalog):
                yield Fault(arrival.place, f"{arrival.pointer}/{field}", reason)


def _doubts(record: Record, pattern: Pattern, catalog: Catalog) -> Iterator[Doubt]:
    yield from _pattern_doubts(pattern)
    yield from _cross_matches(record, catalog)
    yield from _excerpt_doubts(record)
    yield from _url_doubts(record)
    yield from _code_doubts(record)


def _pattern_doubts(pattern: Pattern) -> Iterator[Doubt]:
    if pattern.unmatched:
        yield "messagePattern", f"the record is served by its id alone: {pattern.unmatched}"
        return
    bodies: list[Chain | Expression] = [*pattern.chains, *([pattern.expression] if pattern.expression else [])]
    if not all(wording.anchors(body) for body in bodies):
        least = f"{wording.SHORTEST} characters in a row"
        yield (
            "messagePattern",
            f"is too loose: it has no {least} of its own, and is found by raise site and class alone",
        )


def _cross_matches(record: Record, catalog: Catalog) -> Iterator[Doubt]:
    """Name the other records that the record's own message is taken for too."""
    for text in renderings(record.error_message):
        groups = [[one.match.wording.record_id for one in group] for group in look_at(text, catalog).groups]
        if any(record.id in group for group in groups):
            others = [group[0] for group in groups if record.id not in group]
            if others:
                yield "errorMessage", f"is found by other records' patterns too: {', '.join(others[:_MOST_OTHERS])}"
            return


def _excerpt_doubts(record: Record) -> Iterator[Doubt]:
    source, first = record.fields.get("sourceCode"), record.fields.get("sourceCodeStart")
    if not isinstance(source, str) or not isinstance(first, int):
        return
    line = line_at(source, first, record.line)
    if line is None:
        yield "lineNumber", f"{record.line} is no line of the excerpt, which begins with {first}"
    elif not raises(line):
        yield "lineNumber", f"{record.line} raises and throws nothing in the excerpt"


def _url_doubts(record: Record) -> Iterator[Doubt]:
    """Compare the address with the repository, path, commit and lines that the record names."""
    url = record.fields.get("githubUrl")
    if not isinstance(url, str):
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        yield "githubUrl", "is no URL"
        return
    path = unquote(parts.path)
    if parts.scheme not in ("http", "https") or not path.startswith(f"/{record.repo}/"):
        yield "githubUrl", f"is no address in the repository {record.repo}"
    if not path.endswith(f"/{record.fields['filePath']}"):
        yield "githubUrl", "names another file than filePath"
    sha = record.fields.get("analyzedSha")
    if sha and f"/{sha}/" not in path:
        yield "githubUrl", "names another commit than analyzedSha"
    if reason := _lines_doubt(parts.fragment, record):
        yield "githubUrl", reason


def _lines_doubt(fragment: str, record: Record) -> str:
    lines = _LINES.fullmatch(fragment)
    if lines is None:
        return "names other lines than sourceCodeStart and sourceCodeEnd" if fragment else ""
    first, last = int(lines[1]), int(lines[2] or lines[1])
    named = (record.fields.get("sourceCodeStart"), record.fields.get("sourceCodeEnd"))
    if named != (None, None) and named != (first, last) and (first, last) != (record.line, record.line):
        return "names other lines than sourceCodeStart and sourceCodeEnd"
    return "" if first <= record.line <= last else "names lines without lineNumber"


def _code_doubts(record: Record) -> Iterator[Doubt]:
    if not is_python(str(record.fields["filePath"])):
        return
    for field in _CODE_FIELDS:
        code = record.fields.get(field)
        if isinstance(code, str) and (reason := _syntax_error(code)):
            yield field, f"does not parse as Python: {reason}"


def _syntax_error(code: str) -> str:
    if len(code) > _LONGEST_CODE:
        return f"more than {_LONGEST_CODE:,} characters"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(textwrap.dedent(code))
    except SyntaxError as error:
        return f"{error.msg} at line {error.lineno}" if error.lineno else error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or "nested too deep"
    return ""
