"""Lists the example pastes that the page offers, and reads their texts."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from whyraise.errors import NotFound

_FOLDER = Path(__file__).parent / "pastes"


class Example(NamedTuple):
    """An example paste: its file name without suffix, and its title."""

    name: str
    title: str


EXAMPLES = (
    Example("traceback", "A traceback"),
    Example("ranks", "A log of two ranks"),
    Example("chain", "An error behind an error"),
    Example("near", "An error that almost matches"),
    Example("wrapper", "Only a wrapper"),
)


def text_of(name: str) -> str:
    """Return the text of an example; raise `NotFound` if no example has that name."""
    if name not in [example.name for example in EXAMPLES]:
        raise NotFound(f"There is no example {name!r}.")
    return (_FOLDER / f"{name}.log").read_text("utf-8")
