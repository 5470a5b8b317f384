"""What has been mined into the cache so far, and whether mining could give a better answer to a paste."""

from __future__ import annotations

import json
import os
from functools import lru_cache

from whyraise.errors import WhyraiseError
from whyraise.files import MINED_STATE, code_checksum
from whyraise.knowledge import file_format
from whyraise.knowledge.cache import CODE_PACKAGES
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.source_paths import is_installed, same_file, site_of
from whyraise.version import VERSION

if TYPE_CHECKING:
    from whyraise.lookup.explanation import Explanation

# The packages whose code decides what is mined and what is in a knowledge file.
_CODE_PACKAGES = ("mine", *CODE_PACKAGES)


class MinedKnowledge(NamedTuple):
    """The knowledge file of all that has been mined: its path, and the packages in it, each as name and version."""

    path: str
    packages: frozenset[str]


@lru_cache
def miner_version() -> str:
    """Return the version of the miner and a checksum of its code, as other code mines other records."""
    return f"{VERSION}-{code_checksum(*_CODE_PACKAGES)}"


def mined_knowledge(cache: str) -> MinedKnowledge | None:
    """Return the knowledge file of all that has been mined, or None if this version has made none yet."""
    try:
        with open(os.path.join(cache, MINED_STATE), encoding="utf-8") as file:
            state = json.load(file)
        path = os.path.join(cache, state["file"])
        is_current = state["version"] == miner_version() and file_format.format_of(path) == file_format.FORMAT
    except (OSError, ValueError, KeyError, TypeError, WhyraiseError):
        return None
    return MinedKnowledge(path, frozenset(state["packages"])) if is_current else None


def mining_may_help(explanation: Explanation) -> bool:
    """Return whether mining could give a better answer.

    It could if frames name installed files, unless the first finding is exact and its record is of a file that raised.
    """
    paths = (frame.path for block in explanation.exceptions for frame in block.frames)
    return any(map(is_installed, paths)) and not _is_exact_at_raise(explanation)


def _is_exact_at_raise(explanation: Explanation) -> bool:
    if not explanation.findings or explanation.findings[0].confidence != "exact":
        return False
    site = explanation.findings[0].record.site
    raised_in = (site_of(block.frames[-1].path) for block in explanation.exceptions if block.frames)
    return any(same_file(path, site) for path in raised_in)
