"""Finds every literal of a set in one pass over a text.

Measurements decide which of two engines does it. Hyperscan does large sets, since its database loads from a file in
milliseconds. `ahocorasick_rs` does small sets, since it builds a matcher at once and hyperscan takes 10 ms to import;
it also does large sets on platforms without hyperscan.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from whyraise.files import replace_file
from whyraise.namedtuples import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# From this many literals on, loading a stored database is faster than building the other matcher.
MANY = 4000

Hits = list[tuple[int, int]]
# Takes a text without whitespace; returns `(literal number, end)` for every literal in it, in the order of the ends.
Scan = Callable[[bytes], Hits]


def scanner(count: int, literals: Callable[[], Sequence[tuple[int, bytes]]], store: str) -> Scan:
    """Return a function that finds literals.

    `literals` returns the `count` literals with their numbers; it is called only if a matcher must be built. `store`
    is the path, without suffix, of the file for hyperscan's database.
    """
    if not count:
        return lambda data: []
    hyperscan = _import_hyperscan() if count >= MANY else None
    return _ahocorasick_scan(literals()) if hyperscan is None else _hyperscan_scan(hyperscan, literals, store)


def _import_hyperscan() -> Any:
    try:
        import hyperscan  # noqa: PLC0415  # a small set does not need it
    except ImportError:  # no wheel for this platform
        return None
    return hyperscan


def _ahocorasick_scan(literals: Sequence[tuple[int, bytes]]) -> Scan:
    import ahocorasick_rs  # noqa: PLC0415  # a large set does not need it

    numbers, texts = zip(*literals, strict=True)
    kind = ahocorasick_rs.Implementation.ContiguousNFA  # the DFA takes a hundred times the memory
    automaton = ahocorasick_rs.BytesAhoCorasick(texts, implementation=kind)

    def scan(data: bytes) -> Hits:
        found = automaton.find_matches_as_indexes(data, overlapping=True)
        return [(numbers[index], end) for index, _, end in found]

    return scan


def _hyperscan_scan(hyperscan: Any, literals: Callable[[], Sequence[tuple[int, bytes]]], store: str) -> Scan:
    import threading  # noqa: PLC0415  # takes 1 ms, and a small set does not need it

    path = f"{store}-{hyperscan.__version__}-{os.uname().machine if hasattr(os, 'uname') else os.name}.hs"
    database = _load_database(hyperscan, path)
    if database is None:
        database = _compile_database(hyperscan, literals())
        _store_database(hyperscan.dumpb(database), path)
    thread = threading.local()

    def scan(data: bytes) -> Hits:
        if not hasattr(thread, "scratch"):
            thread.scratch = hyperscan.Scratch(database)
        hits: Hits = []
        database.scan(data, match_event_handler=_collect, context=hits, scratch=thread.scratch)
        return hits

    return scan


def _collect(number: int, start: int, end: int, flags: int, hits: Hits) -> None:
    hits.append((number, end))


def _compile_database(hyperscan: Any, literals: Sequence[tuple[int, bytes]]) -> Any:
    numbers, texts = zip(*literals, strict=True)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=texts, ids=numbers, elements=len(texts), flags=0, literal=True)
    return database


def _load_database(hyperscan: Any, path: str) -> Any:
    """Load the stored database; return None if there is none, or it is damaged or built for another processor."""
    try:
        with open(path, "rb") as file:
            return hyperscan.loadb(file.read(), hyperscan.HS_MODE_BLOCK)
    except (OSError, hyperscan.error):
        return None


def _store_database(blob: bytes, path: str) -> None:
    """Store a database. If the folder is read-only, the database is built again next time."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_file(path, blob)
    except OSError:
        return
