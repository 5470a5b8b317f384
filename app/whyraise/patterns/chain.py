"""What is searched for: a chain of literals and gaps, or an expression where a pattern is no chain."""

from __future__ import annotations

import re

from whyraise.namedtuples import NamedTuple

_SPACES = re.compile(r"\s+")


class Gap(NamedTuple):
    """A placeholder: its name, the fewest characters it stands for, and whether the pattern captures it."""

    name: str
    least: int
    captured: bool


class Chain(NamedTuple):
    """Literals in order, and the gaps before, between and after them: `len(gaps) == len(literals) + 1`.

    A position holds several gaps where placeholders are adjacent, and none at an end where the pattern starts or ends
    with a literal. A chain without literals has one position.
    """

    literals: tuple[str, ...]
    gaps: tuple[tuple[Gap, ...], ...]


class Expression(NamedTuple):
    """An RE2 expression, the names of its groups by number, and the literals of which a text must contain one."""

    text: str
    names: tuple[str, ...]
    literals: tuple[str, ...]


def squeeze(text: str) -> str:
    """Return the text without its white space."""
    return _SPACES.sub("", text)
