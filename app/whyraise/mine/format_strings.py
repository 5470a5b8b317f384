"""Fill the placeholders of `%` and `str.format` templates with the expressions that are their values."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator

from whyraise.mine.message_template import Placeholder, Template

# printf-style conversions, from the table in Python's library reference.
_CONVERSIONS = "diouxXeEfFgGcrsa"

# A text, a placeholder, or an expression that may stand for a text.
Part = str | Placeholder | ast.expr


def percent_parts(template: Template, values: ast.expr) -> list[Part]:
    """Return the parts of `template % values`."""
    remaining = iter(values.elts if isinstance(values, ast.Tuple) else [values])
    parts: list[Part] = []
    for part in template:
        parts += _conversions(part, values, remaining) if isinstance(part, str) else [part]
    return parts


def format_parts(template: Template, call: ast.Call) -> list[Part]:
    """Return the parts of `template.format(...)`; a text that is no valid format string stays as it is."""
    parts: list[Part] = []
    for part in template:
        try:
            fields = list(string.Formatter().parse(part)) if isinstance(part, str) else []
        except ValueError:
            fields = []
        if not fields:
            parts.append(part)
        for number, (text, field, _, _) in enumerate(fields):
            parts.append(text)
            if field is not None:
                parts.append(_argument(field, number, call))
    return parts


def _conversions(text: str, values: ast.expr, remaining: Iterator[ast.expr]) -> Iterator[Part]:
    """Yield the texts between conversions, and for each conversion its value: the expression itself for a plain %s."""
    position = 0
    while (start := text.find("%", position)) >= 0:
        yield text[position:start]
        end = start + 1
        closing = text.find(")", end) if text.startswith("(", end) else -1
        key = text[end + 1 : closing] if closing > 0 else ""
        end = closing + 1 if key else end
        while end < len(text) and text[end] not in _CONVERSIONS + "%":
            end += 1
        position = end + 1
        if end >= len(text):
            yield text[start:]
        elif text[end] == "%":
            yield "%"
        else:
            for _ in range(text.count("*", start, end)):  # `*` takes the width from the values
                next(remaining, None)
            value = values if key else next(remaining, values)
            yield value if text[start:position] == "%s" else Placeholder(key or ast.unparse(value))
    yield text[position:]


def _argument(field: str, number: int, call: ast.Call) -> Placeholder | ast.expr:
    """Return the argument that fills a replacement field; `number` is the field's position in the text."""
    name = field.split(".")[0].split("[")[0]
    rest = field[len(name) :]
    index = int(name) if name.isdigit() else number if not name else -1
    named = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    argument = call.args[index] if 0 <= index < len(call.args) else named
    if argument is None or isinstance(argument, ast.Starred):
        return Placeholder(name + rest if argument is None else ast.unparse(argument) + rest)
    return Placeholder(ast.unparse(argument) + rest) if rest else argument
