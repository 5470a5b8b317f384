"""Check records and report all faults and warnings at once, for authors and maintainers."""

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
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.knowledge.ingest import IngestedRecord, ingest
from whyraise.lookup.explain import analyse
from whyraise.matching import wording
from whyraise.patterns.chain import Chain, Expression
from whyraise.patterns.format_strings import renderings
from whyraise.patterns.parse import Pattern
from whyraise.records.excerpt import is_python, line_at, raises
from whyraise.records.record import Fault, Record
from whyraise.records.sources import find_sources

_CODE_FIELDS = ("exampleFix", "validationCode", "typeGuard", "tryCatchPattern")
# Python's parser recurses, and longer code is not a snippet.
_MAX_CODE = 100_000
_MAX_OTHERS = 5
_LINES_FRAGMENT = re.compile(r"L(\d+)(?:-L?(\d+))?")

# A field of the record, and what is doubtful about it.
FieldWarning = tuple[str, str]


class Report(NamedTuple):
    """The number of usable records, the faults that make others unusable, and warnings."""

    records: int
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]


def check(sources: Sequence[str | os.PathLike[str]]) -> Report:
    """Read paths and URLs as for serving, and report every fault and warning of every record.

    Raises `SourceError` if a source cannot be read at all.
    """
    with tempfile.TemporaryDirectory() as folder:
        found = find_sources(sources, folder)
        built = write(found, os.path.join(folder, "knowledge"))
        catalog = open_file(built.path, folder)
        found_warnings = tuple(_all_warnings(ingest(found), catalog))
        catalog.close()
    return Report(built.records, built.faults, built.notes + found_warnings)


def _all_warnings(ingested: Iterable[object], catalog: Catalog) -> Iterator[Fault]:
    for item in ingested:
        if isinstance(item, IngestedRecord):
            for field, reason in _record_warnings(item.record, item.pattern, catalog):
                yield Fault(item.place, f"{item.pointer}/{field}", reason)


def _record_warnings(record: Record, pattern: Pattern, catalog: Catalog) -> Iterator[FieldWarning]:
    yield from _pattern_warnings(pattern)
    yield from _cross_matches(record, catalog)
    yield from _excerpt_warnings(record)
    yield from _url_warnings(record)
    yield from _code_warnings(record)


def _pattern_warnings(pattern: Pattern) -> Iterator[FieldWarning]:
    if pattern.unmatched:
        yield "messagePattern", f"cannot be searched for, so that only its id finds the record: {pattern.unmatched}"
        return
    bodies: list[Chain | Expression] = [*pattern.chains, *([pattern.expression] if pattern.expression else [])]
    if not all(wording.anchors(body) for body in bodies):
        yield (
            "messagePattern",
            f"is too general: it has no literal of {wording.SHORTEST} or more characters, so that only raise site and "
            "class find the record",
        )


def _cross_matches(record: Record, catalog: Catalog) -> Iterator[FieldWarning]:
    """Warn if the record's own message matches the patterns of other records too."""
    for text in renderings(record.error_message):
        groups = [[judged.match.wording.record_id for judged in group] for group in analyse(text, catalog).groups]
        if any(record.id in group for group in groups):
            others = [group[0] for group in groups if record.id not in group]
            if others:
                yield "errorMessage", f"also matches the patterns of other records: {', '.join(others[:_MAX_OTHERS])}"
            return


def _excerpt_warnings(record: Record) -> Iterator[FieldWarning]:
    source, first = record.fields.get("sourceCode"), record.fields.get("sourceCodeStart")
    if not isinstance(source, str) or not isinstance(first, int):
        return
    line = line_at(source, first, record.line)
    if line is None:
        yield "lineNumber", f"line {record.line} is outside the excerpt, which starts at line {first}"
    elif not raises(line):
        yield "lineNumber", f"line {record.line} of the excerpt has no raise or throw"


def _url_warnings(record: Record) -> Iterator[FieldWarning]:
    """Compare the URL with the repository, path, commit and lines in the record."""
    url = record.fields.get("githubUrl")
    if not isinstance(url, str):
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        yield "githubUrl", "is not a URL"
        return
    path = unquote(parts.path)
    if parts.scheme not in ("http", "https") or not path.startswith(f"/{record.repo}/"):
        yield "githubUrl", f"is not a URL in the repository {record.repo}"
    if not path.endswith(f"/{record.fields['filePath']}"):
        yield "githubUrl", "points to another file than filePath"
    sha = record.fields.get("analyzedSha")
    if sha and f"/{sha}/" not in path:
        yield "githubUrl", "points to another commit than analyzedSha"
    if reason := _lines_warning(parts.fragment, record):
        yield "githubUrl", reason


def _lines_warning(fragment: str, record: Record) -> str:
    lines = _LINES_FRAGMENT.fullmatch(fragment)
    if lines is None:
        return "points to other lines than sourceCodeStart and sourceCodeEnd" if fragment else ""
    first, last = int(lines[1]), int(lines[2] or lines[1])
    excerpt = (record.fields.get("sourceCodeStart"), record.fields.get("sourceCodeEnd"))
    if excerpt != (None, None) and excerpt != (first, last) and (first, last) != (record.line, record.line):
        return "points to other lines than sourceCodeStart and sourceCodeEnd"
    return "" if first <= record.line <= last else "points to lines that do not include lineNumber"


def _code_warnings(record: Record) -> Iterator[FieldWarning]:
    if not is_python(str(record.fields["filePath"])):
        return
    for field in _CODE_FIELDS:
        code = record.fields.get(field)
        if isinstance(code, str) and (reason := _syntax_error(code)):
            yield field, f"is not valid Python: {reason}"


def _syntax_error(code: str) -> str:
    if len(code) > _MAX_CODE:
        return f"more than {_MAX_CODE:,} characters"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(textwrap.dedent(code))
    except SyntaxError as error:
        return f"{error.msg} at line {error.lineno}" if error.lineno else error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or "nested too deeply"
    return ""
