"""The source excerpt that a record quotes: which function raises, and whether its line raises at all."""

from __future__ import annotations

import re

_OPENER = re.compile(
    r"(?:async\s+)?(?:(?P<def>def)\s+(?P<name>\w+)|(?P<class>class)\b|if\b|elif\b|else\b|for\b|while\b|with\b|try\b|except\b|finally\b|match\b|case\b)"
)
# `raise` and `throw`, helpers named for them (`_log_and_throw`), what other languages call them, and the checking
# macros of C and C++ (`TORCH_CHECK(…)`).
_RAISES = re.compile(
    r"(?:\b|_)(?:raise|throw|panic|reject|warn\w*)(?:\b|_)|\b[A-Z_]*(?:CHECK|ASSERT|ENFORCE|THROW|ERROR|WARN)[A-Z_]*\s*\("
)
_PYTHON = (".py", ".pyi", ".pyx")


def is_python(path: str) -> bool:
    """Return whether a file is Python source, by its name."""
    return path.endswith(_PYTHON)


def line_at(source: str, first: int, line: int) -> str | None:
    """Return the excerpt's line of that number where the excerpt begins with line `first`, or None outside it."""
    lines = source.splitlines()
    return lines[line - first] if 0 <= line - first < len(lines) else None


def raises(line: str) -> bool:
    """Return whether a source line raises, throws, warns or checks."""
    return bool(_RAISES.search(line))


def enclosing_function(path: str, source: str, first: int, line: int) -> str:
    """Return the name of the Python function whose body holds a line of an excerpt, empty where it cannot be told.

    The excerpt may begin and end anywhere. Only lines that open a block are read, upwards, each indented less than
    the last: those are the blocks that enclose the line, whatever strings and brackets stand between.
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
