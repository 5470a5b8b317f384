"""The answer for a person at a terminal: short, the fix first in sight, colours only where they can be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from whyraise.lookup.explanation import Explanation
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.reporters import markdown
from whyraise.safe_text import harmless

if TYPE_CHECKING:
    from typing import TextIO

_HEADING = r"(?m)^#{1,3} (.*)$"


def has_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether a stream shows colours: a terminal that is not dumb, and no `NO_COLOR` (no-color.org)."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def explanation(answer: Explanation, color: bool) -> str:
    """Return an explanation as text for a terminal; what was pasted cannot steer the terminal."""
    text = harmless(markdown.explanation(answer))
    return re.sub(_HEADING, "\x1b[1m\\1\x1b[0m" if color else r"\1", text)
