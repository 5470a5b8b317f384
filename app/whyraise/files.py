"""Removes files of the cache folder that are old."""

from __future__ import annotations

import os

# Files of sources as they were before stay for whoever serves them still, or switches back; more are removed.
_KEPT = 8


def forget_old(folder: str, ending: str) -> None:
    """Remove the files of a cache folder whose names end so, all but those that were made last."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(ending)]
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[_KEPT:]:
        remove(path)


def remove(path: str) -> None:
    """Remove a file; one that is gone or held by another process is left."""
    try:
        os.unlink(path)
    except OSError:
        return
