"""Finds the records nearest to a paste that nothing explains, and why a text does not match a record."""

from __future__ import annotations

import re
from collections.abc import Iterable

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explanation import Nearest
from whyraise.matching.mismatch import Mismatch, find_mismatch
from whyraise.matching.regions import Region, Regions
from whyraise.matching.wording import Wording
from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Paste
from whyraise.records.record import Record

# If a paste has no exception, the last lines of this many last characters are taken as its messages; and the most
# messages that are compared.
_TAIL, _MOST_MESSAGES = 2000, 20
# The most records that are shown, and how many characters each has to have in common with the paste.
_MOST_NEAREST, _LEAST_SIMILAR = 3, 6


def messages(pasted: Paste, reading: Reading) -> list[Region]:
    """Return the messages of a paste, or its last lines if it has no exception."""
    regions = Regions(pasted.text, reading)
    starts = [block.span.start for block in reading.blocks if not block.wrapper]
    if not starts:
        lines = [line.start() for line in re.finditer(r"\S[^\n]*", pasted.text[-_TAIL:])]
        starts = [len(pasted.text) - min(len(pasted.text), _TAIL) + line for line in lines[-_MOST_MESSAGES:]]
    return list({region.start: region for start in starts[-_MOST_MESSAGES:] if (region := regions.at(start))}.values())


def latest_mismatch(wordings: Iterable[Wording], messages: list[Region]) -> Mismatch | None:
    """Return the mismatch of the message and the wording that agree longest before they differ."""
    found = [mismatch for wording in wordings for region in messages if (mismatch := find_mismatch(wording, region))]
    return max(found, key=lambda mismatch: mismatch.similar_length, default=None)


def nearest_records(
    pasted: Paste, reading: Reading, catalog: Catalog, similar: Iterable[Record]
) -> tuple[Nearest, ...]:
    """Return those of the similar records that agree longest with the paste's messages, and where they differ."""
    regions = messages(pasted, reading)
    found: list[Nearest] = []
    for record in similar:
        mismatch = latest_mismatch(catalog.wordings_of(record.id), regions)
        if mismatch and mismatch.similar_length >= _LEAST_SIMILAR:
            found.append(Nearest(record, mismatch, pasted.original_spans(*mismatch.span)))
    return tuple(sorted(found, key=lambda nearest: -nearest.parting.similar_length)[:_MOST_NEAREST])
