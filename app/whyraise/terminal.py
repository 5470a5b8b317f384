"""The answer for a person at a terminal: short, the fix first in sight, colours only where they can be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TextIO

from whyraise import markdown
from whyraise.explain import Explanation

_HEADING = re.compile(r"^#{1,3} (.*)$", re.M)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def has_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether a stream shows colours: a terminal that is not dumb, and no `NO_COLOR` (no-color.org)."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def explanation(answer: Explanation, color: bool) -> str:
    """Return an explanation as text for a terminal; what was pasted cannot steer the terminal."""
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", markdown.explanation(answer))
    return _HEADING.sub("\x1b[1m\\1\x1b[0m", text) if color else _HEADING.sub(r"\1", text)
