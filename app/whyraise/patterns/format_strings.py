"""The placeholders of an `errorMessage`: `{expression!r:>10}`, `%(name)s`, `%s`, and the braces that are none.

The template says what each gap of a pattern is called; rendering it with sample values tells whether the pattern
matches its own message.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# printf-style conversions, from the table in Python's library reference, "printf-style String Formatting".
_PERCENT = re.compile(
    r"%(?:\((?P<name>[^)]*)\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[diouxXeEfFgGcrsa%])"
)


class Placeholder(NamedTuple):
    """One placeholder: its name, and where it stands in the template."""

    name: str
    start: int
    end: int


def brace_placeholders(template: str) -> tuple[Placeholder, ...]:
    """Return the `{…}` placeholders; a brace that is doubled or never closed is text."""
    found: list[Placeholder] = []
    at = 0
    while (at := template.find("{", at)) >= 0:
        if template.startswith("{{", at):
            at += 2
            continue
        end = _closing(template, at)
        if end < 0:
            break
        found.append(Placeholder(source(template[at + 1 : end]) or str(len(found) + 1), at, end + 1))
        at = end + 1
    return tuple(found)


def percent_placeholders(template: str) -> tuple[Placeholder, ...]:
    """Return the `%s` and `%(name)s` placeholders; `%%` is text."""
    return tuple(
        Placeholder(m["name"] or m[0], m.start(), m.end()) for m in _PERCENT.finditer(template) if m["kind"] != "%"
    )


def source(field: str) -> str:
    """Return a replacement field without its conversion, its format specification and its `=`."""
    for at, depth in _depths(field, 0):
        if depth == 0 and _ends_source(field, at):
            field = field[:at]
            break
    field = field.strip()
    return field if field.endswith("==") else field.removesuffix("=").strip()


# What a placeholder may stand for: a word for `.+?` and `\w+`, a number for `\d+`, a path and a quoted text for others.
SAMPLES = ("v", "7", "a.b/c", "'v'")


def renderings(template: str) -> tuple[str, ...]:
    """Return the texts that a template may stand for, sample values in place of placeholders.

    Publishers write templates in several languages, so each reading of the braces and percent signs is one rendering,
    and the template itself is the last.
    """
    braces, percents = brace_placeholders(template), percent_placeholders(template)
    texts: list[str] = []
    for sample in SAMPLES:
        filled = _filled(template, braces, sample)
        texts += [
            filled.replace("{{", "{").replace("}}", "}"),
            filled,
            _filled(template, percents, sample).replace("%%", "%"),
        ]
    return tuple(dict.fromkeys((*texts, template)))


def _filled(template: str, placeholders: tuple[Placeholder, ...], sample: str) -> str:
    parts, at = [], 0
    for placeholder in placeholders:
        parts += [template[at : placeholder.start], sample]
        at = placeholder.end
    return "".join(parts) + template[at:]


def _closing(text: str, start: int) -> int:
    """Return where the brace at `start` closes, or -1."""
    return next((at for at, depth in _depths(text, start) if depth == 0 and at > start), -1)


def _depths(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield each position outside quotes with its depth; an opening bracket counts inside, a closing one outside."""
    depth, quote = 0, ""
    for at in range(start, len(text)):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and text.find(char, at + 1) > 0:
            quote = char
        else:
            depth += (char in "([{") - (char in ")]}")
            yield at, depth


def _ends_source(field: str, at: int) -> bool:
    if field[at] == ":":
        return True
    return field[at] == "!" and field[at + 1 : at + 2] in ("r", "s", "a") and field[at + 2 : at + 3] in ("", ":")
