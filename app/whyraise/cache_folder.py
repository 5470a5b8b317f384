"""Where the cache folder lies."""

from __future__ import annotations

import os


def cache_folder(given: str = "") -> str:
    """Return the cache folder: the given one, else the user's, following the XDG base directory specification.

    `platformdirs` knows the folders of other systems too; importing it takes longer than a bare Python start.
    """
    if given:
        return given
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "whyraise")
