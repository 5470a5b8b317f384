"""Return the programming language of a record's snippets."""

from __future__ import annotations

from functools import lru_cache

from whyraise.records.record import Record

# Only this many characters of a snippet are compiled to find its language.
_COMPILED_CHARACTERS = 20_000

_LANGUAGES = {
    ".py": "python",
    ".pyx": "python",
    ".ts": "typescript",
    ".js": "javascript",
    ".cpp": "cpp",
    ".c": "c",
    ".go": "go",
}


def language_of(record: Record) -> str:
    """Return the language of a record's snippets, empty if it is unknown.

    It is the language of the file that raises. If that is C or C++, its callers may write Python, so a fix that
    compiles as Python is Python.
    """
    by_file = _LANGUAGES.get(record.site[record.site.rfind(".") :], "")
    return "python" if by_file in ("c", "cpp") and _is_python(str(record.fields.get("exampleFix") or "")) else by_file


@lru_cache(maxsize=256)
def _is_python(code: str) -> bool:
    try:
        compile(code[:_COMPILED_CHARACTERS], "<snippet>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(code.strip())
