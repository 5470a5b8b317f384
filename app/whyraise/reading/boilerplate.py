"""What every traceback is made of besides messages: its first line, its frames, and the lines between exceptions."""

from __future__ import annotations

import re
from bisect import bisect_right

from whyraise.reading.exceptions import Reading
from whyraise.reading.paste import Span

_LINES = r"\s*(?:Traceback|\(most recent call last\)|The above exception was|During handling of the above)"


class Furniture:
    """The furniture of one cleaned text: programs that print tracebacks hold these texts too, and no error is told."""

    def __init__(self, text: str, reading: Reading) -> None:
        frames = [*reading.loose_frames, *(frame for block in reading.blocks for frame in block.frames)]
        self._text = text
        self._frames = sorted(Span(frame.start, frame.end) for frame in frames)

    def holds(self, span: Span) -> bool:
        """Say whether a stretch of the text is a part of a frame's line, or begins with another line of furniture."""
        number = bisect_right(self._frames, (span.start, len(self._text))) - 1
        if number >= 0 and span.end <= self._frames[number].end:
            return True
        return re.match(_LINES, self._text[span.start : span.start + 60]) is not None
