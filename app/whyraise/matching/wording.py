"""The shape of a record's wording, and the literals by which it is found in a text."""

from __future__ import annotations

from itertools import chain as concatenated

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.patterns.chain import Chain, Expression, squeeze

if TYPE_CHECKING:
    from whyraise.records.record import Origin


# A literal of fewer bytes is in every traceback.
SHORTEST = 8
# Longer literals make the matcher larger and no better.
_LONGEST = 32
# The two ends of a wording are anchors too, for pastes that are truncated there; shorter ends would match by chance.
_SHORTEST_EDGE = 20


class Wording(NamedTuple):
    """One form of a record's message, and what ranking needs to know about the record.

    `number` is the number of the wording, `record` that of the record, both from the knowledge file. `edge` is true if
    the literal that led here is only an end of the wording, which is useful if the paste is truncated. `needed` are the
    literals, without whitespace, that every text with the whole wording contains. `own`: the record is the user's own.
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
    own: bool = False


def anchors(body: Chain | Expression) -> dict[bytes, bool]:
    """Return the literals that lead to a wording, without whitespace, each with whether it is only an end of it.

    The result is empty if no literal is long enough.
    """
    pieces = [squeeze(literal).encode("utf-8", "surrogatepass").split(b"\0") for literal in body.literals]
    runs = [run for run in concatenated.from_iterable(pieces) if len(run) >= SHORTEST]
    if not runs:
        return {}
    longest = max(runs, key=len)
    found = {run[-_LONGEST:]: True for run in (longest, runs[-1]) if len(run) >= _SHORTEST_EDGE}
    found |= {run[:_LONGEST]: True for run in (runs[0],) if len(run) >= _SHORTEST_EDGE}
    return found | {longest[:_LONGEST]: False}
