"""Reads the placeholders of an `errorMessage`: `{expression!r:>10}`, `%(name)s` and `%s`, but not escaped braces.

The placeholders name the gaps of the record's pattern. Rendering the template with sample values shows whether the
pattern matches its own message.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# printf-style conversions, from the table in Python's library reference, "printf-style String Formatting".
_PERCENT = re.compile(
    r"%(?:\((?P<name>[^)]*)\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[diouxXeEfFgGcrsa%])"
)


class Placeholder(NamedTuple):
    """One placeholder: its name, and its start and end offset in the template."""

    name: str
    start: int
    end: int


def brace_placeholders(template: str) -> tuple[Placeholder, ...]:
    """Return the `{…}` placeholders; a brace that is doubled or never closed is literal text."""
    found: list[Placeholder] = []
    start = 0
    while (start := template.find("{", start)) >= 0:
        if template.startswith("{{", start):
            start += 2
            continue
        end = _closing_brace(template, start)
        if end < 0:
            break
        name = field_expression(template[start + 1 : end]) or str(len(found) + 1)
        found.append(Placeholder(name, start, end + 1))
        start = end + 1
    return tuple(found)


def percent_placeholders(template: str) -> tuple[Placeholder, ...]:
    """Return the `%s` and `%(name)s` placeholders; `%%` is literal text."""
    return tuple(
        Placeholder(m["name"] or m[0], m.start(), m.end()) for m in _PERCENT.finditer(template) if m["kind"] != "%"
    )


def field_expression(field: str) -> str:
    """Return the expression of a replacement field, without its conversion, format specification and `=`."""
    for position, depth in _depths(field, 0):
        if depth == 0 and _ends_expression(field, position):
            field = field[:position]
            break
    field = field.strip()
    return field if field.endswith("==") else field.removesuffix("=").strip()


# Sample values of placeholders: a word for `.+?` and `\w+`, a number for `\d+`, a path and a quoted text for others.
_SAMPLES = ("v", "7", "a.b/c", "'v'")


def renderings(template: str) -> tuple[str, ...]:
    """Return the messages that a template may produce, with sample values instead of placeholders.

    Publishers write templates in several languages, so each reading of the braces and percent signs is one rendering.
    The last rendering is the template itself.
    """
    braces, percents = brace_placeholders(template), percent_placeholders(template)
    texts: list[str] = []
    for sample in _SAMPLES:
        filled = _fill(template, braces, sample)
        texts += [
            filled.replace("{{", "{").replace("}}", "}"),
            filled,
            _fill(template, percents, sample).replace("%%", "%"),
        ]
    return tuple(dict.fromkeys((*texts, template)))


def _fill(template: str, placeholders: tuple[Placeholder, ...], sample: str) -> str:
    parts, position = [], 0
    for placeholder in placeholders:
        parts += [template[position : placeholder.start], sample]
        position = placeholder.end
    return "".join(parts) + template[position:]


def _closing_brace(text: str, start: int) -> int:
    """Return the offset of the brace that closes the one at `start`, or -1."""
    return next((position for position, depth in _depths(text, start) if depth == 0 and position > start), -1)


def _depths(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield each position outside quotes with its bracket depth, after the bracket at that position is counted."""
    depth, quote = 0, ""
    for position in range(start, len(text)):
        char = text[position]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and text.find(char, position + 1) > 0:
            quote = char
        else:
            depth += (char in "([{") - (char in ")]}")
            yield position, depth


def _ends_expression(field: str, position: int) -> bool:
    if field[position] == ":":
        return True
    conversion, following = field[position + 1 : position + 2], field[position + 2 : position + 3]
    return field[position] == "!" and conversion in ("r", "s", "a") and following in ("", ":")
