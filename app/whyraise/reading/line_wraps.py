"""Finds the line ends at which a terminal or a log wrapped long lines at its width."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whyraise.reading.noise import MIN_TERMINAL_WIDTH, Edit

# Fewer wraps than this may be a coincidence; they count only if all are within words and more lines have a prefix.
_MIN_WRAPS = 2
_WITHIN_WORD = r"\w\n[a-z_]"


def find_wraps(text: str, starts: Sequence[int]) -> list[Edit]:
    """Return the edits that remove the line ends of full lines that are followed by a line without a prefix.

    `starts` are the offsets of the lines that have a prefix, in order. The width is the length of the longest of them.
    """
    ends = [text.find("\n", start) for start in starts]
    width = max((end - start for start, end in zip(starts, ends, strict=True)), default=0)
    if width < MIN_TERMINAL_WIDTH:
        return []
    wraps: list[int] = []
    for start, next_start in zip(starts, [*starts[1:], len(text)], strict=True):
        line_start, position = start, text.find("\n", start, next_start)
        while 0 <= position < next_start - 1 and width - 1 <= position - line_start <= width:
            wraps.append(position)
            line_start = position + 1
            position = text.find("\n", line_start, next_start)
    is_within_words = all(re.match(_WITHIN_WORD, text[position - 1 : position + 2]) for position in wraps)
    is_certain = len(wraps) >= _MIN_WRAPS or (len(starts) > _MIN_WRAPS and is_within_words)
    return [(position, position + 1, "") for position in wraps] if is_certain else []
