"""Finds every literal of a set in one pass over a text.

Two engines do it, chosen by what was measured: hyperscan for large sets, whose database loads from a file in
milliseconds; `ahocorasick_rs` for small sets, which it builds at once and without hyperscan's 10 ms of imports, and
where hyperscan does not run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# From this many literals on, loading a stored database beats building the other matcher.
MANY = 4000

Hits = list[tuple[int, int]]
# A text without white space in, `(literal number, end)` of every literal in it out, in the order of the ends.
Scan = Callable[[bytes], Hits]


def scanner(count: int, literals: Callable[[], Sequence[tuple[int, bytes]]], store: str) -> Scan:
    """Return a function that finds literals.

    `literals` gives the `count` literals with their numbers, and is called only where a matcher must be built. `store`
    is the path, without its ending, at which hyperscan's database is kept.
    """
    if not count:
        return lambda data: []
    hyperscan = _hyperscan() if count >= MANY else None
    return _ahocorasick_scan(literals()) if hyperscan is None else _hyperscan_scan(hyperscan, literals, store)


def _hyperscan() -> Any:
    try:
        import hyperscan  # noqa: PLC0415  # a small set does without its import
    except ImportError:  # no wheel for this platform
        return None
    return hyperscan


def _ahocorasick_scan(literals: Sequence[tuple[int, bytes]]) -> Scan:
    import ahocorasick_rs  # noqa: PLC0415  # a large set does without

    numbers, texts = zip(*literals, strict=True)
    kind = ahocorasick_rs.Implementation.ContiguousNFA  # the DFA takes a hundred times the memory
    automaton = ahocorasick_rs.BytesAhoCorasick(texts, implementation=kind)

    def scan(data: bytes) -> Hits:
        found = automaton.find_matches_as_indexes(data, overlapping=True)
        return [(numbers[which], end) for which, _, end in found]

    return scan


def _hyperscan_scan(hyperscan: Any, literals: Callable[[], Sequence[tuple[int, bytes]]], store: str) -> Scan:
    import threading  # noqa: PLC0415  # 1 ms that a small set does without

    path = f"{store}-{hyperscan.__version__}-{os.uname().machine if hasattr(os, 'uname') else os.name}.hs"
    database = _stored(hyperscan, path)
    if database is None:
        database = _compiled(hyperscan, literals())
        _keep(hyperscan.dumpb(database), path)
    own = threading.local()

    def scan(data: bytes) -> Hits:
        if not hasattr(own, "scratch"):
            own.scratch = hyperscan.Scratch(database)
        hits: Hits = []
        database.scan(data, match_event_handler=_collect, context=hits, scratch=own.scratch)
        return hits

    return scan


def _collect(number: int, start: int, end: int, flags: int, hits: Hits) -> None:
    hits.append((number, end))


def _compiled(hyperscan: Any, literals: Sequence[tuple[int, bytes]]) -> Any:
    numbers, texts = zip(*literals, strict=True)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=texts, ids=numbers, elements=len(texts), flags=0, literal=True)
    return database


def _stored(hyperscan: Any, path: str) -> Any:
    """Load a kept database; one that is damaged or made for another processor is made again."""
    try:
        with open(path, "rb") as file:
            return hyperscan.loadb(file.read(), hyperscan.HS_MODE_BLOCK)
    except (OSError, hyperscan.error):
        return None


def _keep(blob: bytes, path: str) -> None:
    """Keep a database where the folder can be written to; a read-only one costs the build again, no more."""
    part = f"{path}.{os.getpid()}.part"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(part, "wb") as file:
            file.write(blob)
        os.replace(part, path)
    except OSError:
        return
