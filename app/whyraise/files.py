"""Removes old files of the cache folder, and computes the part of their names that changes when code changes."""

from __future__ import annotations

import os
import zlib

# The folder of this package. `importlib.resources` gives the same, but its import takes half as long as a bare start.
PACKAGE = os.path.dirname(os.path.abspath(__file__))
# The most files with one suffix. Files of older sources stay for processes that still use them, and for users who
# switch back.
_MOST_FILES = 8


def remove_old(folder: str, suffix: str) -> None:
    """Remove the files of a cache folder with a suffix, except the newest ones."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(suffix)]
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[_MOST_FILES:]:
        remove(path)


def remove(path: str) -> None:
    """Remove a file; ignore one that is missing or that another process holds open."""
    try:
        os.unlink(path)
    except OSError:
        return


def code_checksum(*packages: str, root: str = PACKAGE) -> str:
    """Return a text that changes when the code of these packages, or of the modules above them, changes.

    Files built by that code are then built again. The checksum is over the sizes and times of the code files, since
    reading their text takes longer.
    """
    checksum = 0
    for package in ("", *packages):
        with os.scandir(os.path.join(root, package)) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    line = f"{package}/{entry.name} {status.st_size} {status.st_mtime_ns}"
                    checksum = zlib.crc32(line.encode(), checksum)
    return f"{checksum:08x}"
