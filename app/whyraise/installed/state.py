"""What was mined into the cache so far, and whether a paste shows source that could be mined."""

from __future__ import annotations

import json
import os
from functools import lru_cache

from whyraise.errors import WhyraiseError
from whyraise.files import code_sum
from whyraise.knowledge import file_format
from whyraise.knowledge.cache import SHAPING
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.source_paths import is_installed, same_file, site_of
from whyraise.version import VERSION

if TYPE_CHECKING:
    from whyraise.lookup.explanation import Explanation

STATE = "grown.json"
# The packages whose code decides what is mined, beside those that decide what stands in a knowledge file.
_SHAPING = ("mine", *SHAPING)


class Grown(NamedTuple):
    """The knowledge file made so far: its path and the packages in it, each as name and version."""

    path: str
    packages: frozenset[str]


@lru_cache
def made_by() -> str:
    """Return what names the miner: its version and its code. Another one finds other records."""
    return f"{VERSION}-{code_sum(*_SHAPING)}"


def known(cache: str) -> Grown | None:
    """Return the knowledge file made so far, or nothing where there is none that this version can read."""
    try:
        with open(os.path.join(cache, STATE), encoding="utf-8") as file:
            told = json.load(file)
        path = os.path.join(cache, told["file"])
        fits = told["version"] == made_by() and file_format.format_of(path) == file_format.FORMAT
    except (OSError, ValueError, KeyError, TypeError, WhyraiseError):
        return None
    return Grown(path, frozenset(told["packages"])) if fits else None


def asks_for_more(found: Explanation) -> bool:
    """Say whether source may tell more: frames show installed files, and no exact finding is of one that raised."""
    paths = (frame.path for block in found.exceptions for frame in block.frames)
    return any(map(is_installed, paths)) and not _is_told(found)


def _is_told(found: Explanation) -> bool:
    if not found.findings or found.findings[0].confidence != "exact":
        return False
    site = found.findings[0].record.site
    return any(block.frames and same_file(site_of(block.frames[-1].path), site) for block in found.exceptions)
