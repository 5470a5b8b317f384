"""An error record: one known error as it was published, with its side files.

The published data is never edited: `Record.fields` is the JSON object as it was read, including unknown fields, and
every interface serves this object. The other attributes are the few values that matching and ranking need.
"""

from __future__ import annotations

from collections.abc import Mapping

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, Literal

    Origin = Literal["curated", "published", "mined"]

# If several records have the same raise site and pattern, the finding is the record whose origin comes first here.
ORIGINS: tuple[Origin, ...] = ("curated", "published", "mined")

Json = Mapping[str, object]


class Record(NamedTuple):
    """One known error.

    `fields` is the published JSON. `beside` holds the other keys of its envelope and the side files of its folder, by
    name: `wordings`, `correction`, `proof`, `versions`, `history`, `licence`, `site`, each as parsed JSON. `site` is
    the path of the raising file, starting at its package; `function` is the bare name of the raising function, empty
    if unknown.
    """

    id: str
    repo: str
    slug: str
    error_message: str
    message_pattern: str
    error_class: str | None
    severity: str
    tags: tuple[str, ...]
    site: str
    function: str
    line: int
    dataset: str
    origin: Origin
    fields: Json
    beside: Json


def from_json(  # noqa: PLR0913  # the attributes that are not in its JSON
    fields: Mapping[str, Any], *, site: str, function: str, dataset: str, origin: Origin, beside: Json
) -> Record:
    """Return the record of a published JSON object whose types are valid; raise `KeyError` if a field is missing."""
    return Record(
        id=fields["id"],
        repo=fields["repo"],
        slug=fields["slug"],
        error_message=fields["errorMessage"],
        message_pattern=fields["messagePattern"],
        error_class=fields.get("errorClass"),
        severity=fields["severity"],
        tags=tuple(fields.get("tags") or ()),
        site=site,
        function=function,
        line=fields["lineNumber"],
        dataset=dataset,
        origin=origin,
        fields=fields,
        beside=beside,
    )


def address(record: Record) -> str:
    """Return the path of a record's permanent page; with `.md` or `.json` appended, it serves Markdown or JSON."""
    if record.id.isascii() and record.id.isalnum():
        return f"/e/{record.id}"
    from urllib.parse import quote  # noqa: PLC0415  # most ids need no escaping, and the import costs start-up time

    return f"/e/{quote(record.id, safe='')}"


class Fault(NamedTuple):
    """An error in a source of records: the file, the JSON pointer in it, and the reason."""

    file: str
    pointer: str
    reason: str


class DataSet(NamedTuple):
    """A data set of a knowledge file; `digest` is the SHA-256 of its records, in hexadecimal."""

    name: str
    version: str
    records: int
    digest: str


def correction(record: Record, field: str) -> tuple[str, str]:
    """Return the corrected text of a field, and why the published text fails; both are empty without a correction."""
    value = record.beside.get("correction")
    parts = (value.get("fields"), value.get("why")) if isinstance(value, dict) else (None, None)
    text, why = (part.get(field, "") if isinstance(part, dict) else "" for part in parts)
    return str(text), str(why)
