"""Files of the cache folder: old ones are removed, and their names change when the code that makes them does."""

from __future__ import annotations

import os
import zlib

# The folder of this package. `importlib.resources` says the same and takes as long to import as half a start.
PACKAGE = os.path.dirname(os.path.abspath(__file__))
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


def code_sum(*packages: str, root: str = PACKAGE) -> str:
    """Return a text that changes when the code of packages of this program changes, or of the modules above them.

    What the code made is then made again. Sizes and times of the files are summed, since reading them takes longer.
    """
    total = 0
    for package in ("", *packages):
        with os.scandir(os.path.join(root, package)) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    known = entry.stat()
                    total = zlib.crc32(f"{package}/{entry.name} {known.st_size} {known.st_mtime_ns}".encode(), total)
    return f"{total:08x}"
