"""The template of a message, a sequence of literal texts and placeholders, and operations on it."""

from __future__ import annotations

import ast
import textwrap

from whyraise.namedtuples import NamedTuple

_FEW_WORDS = 3


class Placeholder(NamedTuple):
    """A placeholder of a message, with the source of the expression that fills it."""

    source: str


Template = tuple[str | Placeholder, ...]


def placeholder_of(node: ast.expr) -> Placeholder:
    """Return the placeholder that an expression fills."""
    return Placeholder(ast.unparse(node.value if isinstance(node, ast.FormattedValue) else node))


def merge_texts(template: Template) -> Template:
    """Join neighbouring texts and drop empty ones."""
    parts: list[str | Placeholder] = []
    for part in template:
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part:
            parts.append(part)
    return tuple(parts)


def strip_template(template: Template, method: str) -> Template:
    """Remove whitespace at the ends as `strip`, `lstrip` or `rstrip` does; other characters are not removed."""
    parts = list(template)
    if method != "rstrip" and parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if method != "lstrip" and parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return tuple(parts)


def dedent_template(template: Template) -> Template:
    """Remove the indentation that all lines share; a placeholder counts as a character of its line."""
    placeholders = [part for part in template if isinstance(part, Placeholder)]
    text = "".join("\0" if isinstance(part, Placeholder) else part for part in template)
    first, *others = textwrap.dedent(text).split("\0")
    return (first, *(part for pair in zip(placeholders, others, strict=True) for part in pair))


def has_literal(template: Template) -> bool:
    """Return whether a template has any literal text, even if it is whitespace."""
    return any(isinstance(part, str) for part in template)


def has_text(template: Template) -> bool:
    """Return whether a template has literal text other than whitespace."""
    return any(isinstance(part, str) and part.strip() for part in template)


def has_words(template: Template) -> bool:
    """Return whether a template has a few literal words, so that it is more than a name or number."""
    return len(" ".join(part for part in template if isinstance(part, str)).split()) > _FEW_WORDS


def placeholder_sources(template: Template) -> list[str]:
    """Return the sources of a template's placeholders."""
    return [part.source for part in template if isinstance(part, Placeholder)]
