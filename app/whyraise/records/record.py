"""An error record: one known error, as it was published, and what lies beside it.

What is published is never edited: `Record.fields` is the JSON object as it was read, unknown fields included, and it is
what every door serves. The attributes are the few values that matching and ranking read.
"""

from __future__ import annotations

from collections.abc import Mapping

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, Literal

    Origin = Literal["curated", "published", "mined"]

# Where several records speak of one raise site and one pattern, the first of these is the finding.
ORIGINS: tuple[Origin, ...] = ("curated", "published", "mined")

Json = Mapping[str, object]


class Record(NamedTuple):
    """One known error.

    `fields` is the published JSON. `beside` holds the other keys of its envelope and the files of its folder, by
    name: `wordings`, `correction`, `proof`, `versions`, `history`, `licence`, `site`, each parsed JSON. `site` is the
    raising file as its package knows it, `function` the raising function's bare name, empty where unknown.
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


def from_json(  # noqa: PLR0913  # what a record knows beside its JSON
    fields: Mapping[str, Any], *, site: str, function: str, dataset: str, origin: Origin, beside: Json
) -> Record:
    """Return the record of a published JSON object of checked types; raise `KeyError` where a field is missing."""
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
    """Return the path of a record's permanent page; with `.md` or `.json` behind it, the same as text or data."""
    if record.id.isascii() and record.id.isalnum():
        return f"/e/{record.id}"
    from urllib.parse import quote  # noqa: PLC0415  # most ids need none of it, and a start is quicker without

    return f"/e/{quote(record.id, safe='')}"


class Fault(NamedTuple):
    """Something wrong with a record: which file, where in it (JSON pointer), and what."""

    file: str
    pointer: str
    reason: str


class DataSet(NamedTuple):
    """One source of records as it is served; `digest` is the SHA-256 of its records, in hexadecimal."""

    name: str
    version: str
    records: int
    digest: str


def correction(each: Record, name: str) -> tuple[str, str]:
    """Return the corrected text of a field and why the published one fails, empty where there is none."""
    found = each.beside.get("correction")
    parts = (found.get("fields"), found.get("why")) if isinstance(found, dict) else (None, None)
    text, why = (part.get(name, "") if isinstance(part, dict) else "" for part in parts)
    return str(text), str(why)
