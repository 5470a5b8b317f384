"""Reads of a page what a test compares: elements by attribute, their text, and all addresses."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

_VOID = {"meta", "link", "img", "input", "br", "hr"}


class Element(NamedTuple):
    """An element: its name, attributes, and the text in it, in pieces."""

    name: str
    attributes: dict[str, str]
    texts: list[str]

    @property
    def text(self) -> str:
        return "".join(self.texts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, [])
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().name != tag:
            pass

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)


def elements(html: str) -> list[Element]:
    """Return all elements of a page in their order."""
    reader = _Reader()
    reader.feed(html)
    return reader.elements


def of_class(html: str, name: str) -> list[Element]:
    """Return the elements of a class."""
    return [each for each in elements(html) if name in each.attributes.get("class", "").split()]


def named(html: str, name: str) -> list[Element]:
    """Return the elements of a name."""
    return [each for each in elements(html) if each.name == name]
