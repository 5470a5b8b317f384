"""Analyse the source excerpt of a record: which function a line belongs to, and whether the line raises."""

from __future__ import annotations

import re

_OPENER = re.compile(
    r"(?:async\s+)?(?:(?P<def>def)\s+(?P<name>\w+)|(?P<class>class)\b|if\b|elif\b|else\b|for\b|while\b|with\b|try\b|except\b|finally\b|match\b|case\b)"
)
# `raise` and `throw`, helpers with such a name (`_log_and_throw`), the words of other languages, and the checking
# macros of C and C++ (`TORCH_CHECK(…)`).
_RAISES = re.compile(
    r"(?:\b|_)(?:raise|throw|panic|reject|warn\w*)(?:\b|_)|\b[A-Z_]*(?:CHECK|ASSERT|ENFORCE|THROW|ERROR|WARN)[A-Z_]*\s*\("
)
_PYTHON_SUFFIXES = (".py", ".pyi", ".pyx")


def is_python(path: str) -> bool:
    """Return whether a file name is that of Python source."""
    return path.endswith(_PYTHON_SUFFIXES)


def line_at(source: str, first: int, line: int) -> str | None:
    """Return the line with number `line` of an excerpt whose first line has number `first`, or None outside it."""
    lines = source.splitlines()
    return lines[line - first] if 0 <= line - first < len(lines) else None


def raises(line: str) -> bool:
    """Return whether a source line raises, throws, warns or checks."""
    return bool(_RAISES.search(line))


def enclosing_function(path: str, source: str, first: int, line: int) -> str:
    """Return the name of the Python function that contains a line of an excerpt, empty if it is unknown.

    The excerpt's first line has number `first`; it may start and end anywhere. The search goes upwards and looks only
    at lines that open a block and are indented less than the previous one: these blocks enclose the line, whatever
    strings and brackets are between them.
    """
    lines = source.splitlines()
    if not is_python(path) or not 0 <= line - first < len(lines):
        return ""
    limit = _indent(lines[line - first])
    for text in reversed(lines[: line - first]):
        opener = _OPENER.match(text.lstrip())
        if opener is None or _indent(text) >= limit:
            continue
        if opener["def"] or opener["class"]:
            return opener["name"] or ""
        limit = _indent(text)
    return ""


def _indent(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())
