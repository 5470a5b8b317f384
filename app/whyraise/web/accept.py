"""Which representation a request prefers (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence


def preferred(accept: str, offered: Sequence[str]) -> str:
    """Return the media type, of those offered, that an Accept header weighs most; the first of equals, or at all."""
    weights = [_weight(accept, each) for each in offered]
    return offered[weights.index(max(weights))]


def _weight(accept: str, media_type: str) -> float:
    """Return the weight that the most specific range of an Accept header gives a media type."""
    ranges = {"*/*": 0, media_type.partition("/")[0] + "/*": 1, media_type: 2}
    best, weight = -1, 0.0 if accept.strip() else 1.0
    for each in accept.split(","):
        name, *parameters = (part.strip() for part in each.split(";"))
        specific = ranges.get(name.lower(), -1)
        if specific > best:
            best, weight = specific, _quality(parameters)
    return weight


def _quality(parameters: Sequence[str]) -> float:
    for each in parameters:
        name, _, value = each.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
