"""The source lines that a traceback quotes below its frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from whyraise.reading.frames import Frame
from whyraise.reading.paste import Span

# A statement that raises; it may follow an `if` or `else` on the same line.
_STATEMENT = r"^[^'\"#]*?(?:^|[:;\s])raise[\s(]+\w|^\s*assert\b|^\s*\w+\.throw\("


def find_source_lines(text: str, frames: Iterable[Frame], header: Span) -> Iterator[Span]:
    """Yield the line below each frame, except the line with the exception's class (a frame without a file has none)."""
    size = len(text)
    for frame in frames:
        start = frame.end + 1 if frame.end < size else size
        end = text.find("\n", start)
        end = end if end >= 0 else size
        if not start <= header.start <= end:
            yield Span(start, end)


def ends_in_raise(text: str, frames: Sequence[Frame], source_lines: Sequence[Span]) -> bool:
    """Return whether the line quoted below the last frame raises by itself, and not in a function that it calls."""
    is_quoted = source_lines and source_lines[-1].start == frames[-1].end + 1
    return bool(is_quoted and re.search(_STATEMENT, text[slice(*source_lines[-1])]))
