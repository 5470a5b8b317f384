"""Pastes to try, one click away."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from whyraise.errors import NotFound

_FOLDER = Path(__file__).parent / "pastes"


class Example(NamedTuple):
    """A paste to try: its file's name and what it is."""

    name: str
    title: str


EXAMPLES = (
    Example("traceback", "A traceback"),
    Example("ranks", "A log of two ranks"),
    Example("chain", "An error behind an error"),
    Example("near", "Nearly known"),
    Example("wrapper", "Only a wrapper"),
)


def text_of(name: str) -> str:
    """Return the text of an example; raise `NotFound` where there is none."""
    if name not in [each.name for each in EXAMPLES]:
        raise NotFound(f"There is no example {name!r}.")
    return (_FOLDER / f"{name}.log").read_text("utf-8")
