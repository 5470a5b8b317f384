"""Reads the exceptions of a text in one step."""

from __future__ import annotations

from whyraise.reading.exceptions import Reading, parse
from whyraise.reading.paste import clean


def read(text: str) -> Reading:
    """Clean a text and read its exceptions."""
    return parse(clean(text))


def classes_and_messages(text: str) -> list[tuple[str, str]]:
    """Return the class name and message of each exception of a text."""
    return [(block.class_name, block.message) for block in read(text).blocks]
