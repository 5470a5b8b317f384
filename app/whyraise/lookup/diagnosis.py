"""The use case of whoever writes records: why does this text not match that record."""

from __future__ import annotations

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import matches
from whyraise.lookup.nearest import best_parting, messages
from whyraise.matching.mismatch import Parting
from whyraise.namedtuples import NamedTuple
from whyraise.reading import exceptions, paste
from whyraise.reading.paste import Span
from whyraise.records.record import Record


class Diagnosis(NamedTuple):
    """Why a text does not match a record: where they part, or nothing where it does match or the record cannot."""

    record: Record
    matches: bool
    reason: str
    parting: Parting | None
    spans: tuple[Span, ...]


def diagnose(text: str, record: Record, catalog: Catalog) -> Diagnosis:
    """Say where a pasted text and a record's message part."""
    pasted = paste.clean(text)
    reading = exceptions.parse(pasted)
    wordings = catalog.wordings_of(record.id)
    found = [
        one for one in matches(pasted, reading, catalog) if one.wording.record_id == record.id and not one.share.cut
    ]
    if found or not wordings:
        return Diagnosis(record, bool(found), catalog.unmatched(record.id), None, ())
    parting = best_parting(wordings, messages(pasted, reading))
    return Diagnosis(record, False, "", parting, pasted.original_spans(*parting.span) if parting else ())
