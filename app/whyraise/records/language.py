"""The language that a record's snippets are written in."""

from __future__ import annotations

from functools import lru_cache

from whyraise.records.record import Record

# Characters of a snippet that are read to tell its language.
_LONGEST_READ = 20_000


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
    """Return the language of a record's snippets, empty where it is none that is known.

    It is that of the file that raises, but where C or C++ does: whoever calls that may write Python.
    """
    by_file = _LANGUAGES.get(record.site[record.site.rfind(".") :], "")
    return "python" if by_file in ("c", "cpp") and _is_python(str(record.fields.get("exampleFix") or "")) else by_file


@lru_cache(maxsize=256)
def _is_python(code: str) -> bool:
    try:
        compile(code[:_LONGEST_READ], "<snippet>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(code.strip())
