"""The text that every traceback has besides messages: its first line, its frames, the lines between exceptions."""

from __future__ import annotations

import re
from bisect import bisect_right

from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Span

_LINES = r"\s*(?:Traceback|\(most recent call last\)|The above exception was|During handling of the above)"


class Boilerplate:
    """The boilerplate of one cleaned text. Programs that print tracebacks contain these texts, without any error."""

    def __init__(self, text: str, reading: Reading) -> None:
        frames = [*reading.loose_frames, *(frame for block in reading.blocks for frame in block.frames)]
        self._text = text
        self._frames = sorted(Span(frame.start, frame.end) for frame in frames)

    def contains(self, span: Span) -> bool:
        """Return whether a span is within the line of a frame, or begins with another line of boilerplate."""
        number = bisect_right(self._frames, (span.start, len(self._text))) - 1
        if number >= 0 and span.end <= self._frames[number].end:
            return True
        return re.match(_LINES, self._text[span.start : span.start + 60]) is not None
