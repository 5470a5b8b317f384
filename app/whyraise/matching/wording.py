"""A record's wording, and the literals by which it is found in a text."""

from __future__ import annotations

from itertools import chain as concatenated

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.patterns.chain import Chain, Expression, squeeze

if TYPE_CHECKING:
    from whyraise.records.record import Origin


# Below this many bytes a literal stands in every traceback.
SHORTEST = 8


# Longer literals make the matcher larger and no better.
LONGEST = 32


# The two ends of a wording are anchors too, for pastes that were cut there; shorter ends would match by chance.
SHORTEST_EDGE = 20


class Wording(NamedTuple):
    """One way in which a record's message is said, and what ranking needs to know of the record.

    `number` is the wording's own, `record` the record's, both those of the knowledge file. `edge` says that the
    literal that led here is only an end of the wording, of use where the paste was cut. `needed` are the literals that
    stand in every text that holds the wording whole, squeezed.
    """

    number: int
    record: int
    record_id: str
    error_class: str | None
    site: str
    function: str
    line: int
    origin: Origin
    kind: str
    chain: Chain | None
    expression: Expression | None
    edge: bool
    needed: tuple[bytes, ...]


def anchors(body: Chain | Expression) -> dict[bytes, bool]:
    """Return the literals that lead to a wording, squeezed, each with whether it is only an end of it."""
    pieces = [squeeze(literal).encode("utf-8", "surrogatepass").split(b"\0") for literal in body.literals]
    runs = [run for run in concatenated.from_iterable(pieces) if len(run) >= SHORTEST]
    if not runs:
        return {}
    longest = max(runs, key=len)
    found = {run[-LONGEST:]: True for run in (longest, runs[-1]) if len(run) >= SHORTEST_EDGE}
    found |= {run[:LONGEST]: True for run in (runs[0],) if len(run) >= SHORTEST_EDGE}
    return found | {longest[:LONGEST]: False}
