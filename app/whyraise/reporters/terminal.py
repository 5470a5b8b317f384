"""Formats an answer for a person at a terminal, with bold headings if the terminal shows colors."""

from __future__ import annotations

import re
from collections.abc import Mapping

from whyraise.lookup.explanation import Explanation
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.reporters import markdown
from whyraise.safe_text import replace_controls

if TYPE_CHECKING:
    from typing import TextIO

_HEADING = r"(?m)^#{1,3} (.*)$"


def has_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether to use colors: on a terminal that is not dumb, unless `NO_COLOR` (no-color.org) is set."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def explanation(explanation: Explanation, color: bool) -> str:
    """Return an explanation as text for a terminal, without the control characters of the paste."""
    text = replace_controls(markdown.explanation(explanation))
    return re.sub(_HEADING, "\x1b[1m\\1\x1b[0m" if color else r"\1", text)
