"""Explains to authors of records why a text does not match a record."""

from __future__ import annotations

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import find_matches
from whyraise.lookup.nearest import latest_mismatch, messages
from whyraise.matching.mismatch import Mismatch
from whyraise.namedtuples import NamedTuple
from whyraise.reading import exceptions, paste
from whyraise.reading.paste import Span
from whyraise.records.record import Record


class Diagnosis(NamedTuple):
    """Whether a text matches a record, and the first difference if it does not.

    `reason` says why the record can match no text, and is empty for all other records. `parting` is None if the text
    matches or the record cannot; `spans` is where the difference is in the paste.
    """

    record: Record
    matches: bool
    reason: str
    parting: Mismatch | None
    spans: tuple[Span, ...]


def diagnose(text: str, record: Record, catalog: Catalog) -> Diagnosis:
    """Return whether a pasted text matches a record, and the first difference if it does not."""
    pasted = paste.clean(text)
    reading = exceptions.parse(pasted)
    wordings = catalog.wordings_of(record.id)
    found = [
        match
        for match in find_matches(pasted, reading, catalog)
        if match.wording.record_id == record.id and not match.share.truncated_side
    ]
    if found or not wordings:
        return Diagnosis(record, bool(found), catalog.unmatched_reason(record.id), None, ())
    mismatch = latest_mismatch(wordings, messages(pasted, reading))
    return Diagnosis(record, False, "", mismatch, pasted.original_spans(*mismatch.span) if mismatch else ())
