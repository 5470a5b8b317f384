"""The two forms of a pattern: a chain of literals and gaps, or an RE2 expression if the pattern is not a chain."""

from __future__ import annotations

import re

from whyraise.namedtuples import NamedTuple

_WHITESPACE = re.compile(r"\s+")


class Gap(NamedTuple):
    """A placeholder: its name, the least number of characters it matches, and whether the pattern captures it."""

    name: str
    min_length: int
    captured: bool


class Chain(NamedTuple):
    """Literals in order, and the gaps before, between and after them: `len(gaps) == len(literals) + 1`.

    An item of `gaps` holds several gaps if placeholders are adjacent. The first item is empty if the pattern starts
    with a literal, the last one if it ends with a literal. A chain without literals has one item.
    """

    literals: tuple[str, ...]
    gaps: tuple[tuple[Gap, ...], ...]


class Expression(NamedTuple):
    """An RE2 expression, the names of its groups in order, and literals: each match contains at least one of them."""

    text: str
    names: tuple[str, ...]
    literals: tuple[str, ...]


def squeeze(text: str) -> str:
    """Return the text without whitespace."""
    return _WHITESPACE.sub("", text)
