"""What comes near where nothing is known, and why a text does not match a record."""

from __future__ import annotations

import re
from collections.abc import Iterable

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explanation import Nearest
from whyraise.matching.mismatch import Parting, parting
from whyraise.matching.regions import Region, Regions
from whyraise.matching.wording import Wording
from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Paste
from whyraise.records.record import Record

# Where no exception was read, this many last characters and lines of a paste stand for its message.
_TAIL, _MOST_MESSAGES = 2000, 20
# So many records are shown that share so many characters.
_NEAREST, _SHARED = 3, 6


def messages(pasted: Paste, reading: Reading) -> list[Region]:
    """Return the messages that a paste shows, or its last lines where it shows no exception."""
    regions = Regions(pasted.text, reading)
    starts = [block.span.start for block in reading.blocks if not block.wrapper]
    if not starts:
        lines = [line.start() for line in re.finditer(r"\S[^\n]*", pasted.text[-_TAIL:])]
        starts = [len(pasted.text) - min(len(pasted.text), _TAIL) + line for line in lines[-_MOST_MESSAGES:]]
    return list({region.start: region for start in starts[-_MOST_MESSAGES:] if (region := regions.at(start))}.values())


def best_parting(wordings: Iterable[Wording], messages: list[Region]) -> Parting | None:
    """Return the place at which a message agrees longest with a wording before they part."""
    partings = [found for one in wordings for region in messages if (found := parting(one, region))]
    return max(partings, key=lambda one: one.alike, default=None)


def nearest(pasted: Paste, reading: Reading, catalog: Catalog, similar: Iterable[Record]) -> tuple[Nearest, ...]:
    """Return those of similar records that agree longest with the paste's messages, and where they part."""
    said = messages(pasted, reading)
    found: list[Nearest] = []
    for record in similar:
        apart = best_parting(catalog.wordings_of(record.id), said)
        if apart and apart.alike >= _SHARED:
            found.append(Nearest(record, apart, pasted.original_spans(*apart.span)))
    return tuple(sorted(found, key=lambda near: -near.parting.alike)[:_NEAREST])
