"""Replaces files atomically, removes old ones, and computes the part of their names that changes when code changes."""

from __future__ import annotations

import os
import zlib

# The folder of this package. `importlib.resources` gives the same, but its import takes half as long as a bare start.
PACKAGE = os.path.dirname(os.path.abspath(__file__))
# The file in the cache that names what was mined; a machine without it has mined nothing.
MINED_STATE = "grown.json"
# The most files with one suffix. Files of older sources stay for processes that still use them, and for users who
# switch back.
KEPT = 8


def remove_old(folder: str, suffix: str, keep: int = KEPT) -> None:
    """Remove the files of a cache folder with a suffix, except the `keep` newest ones."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(suffix)]
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[keep:]:
        remove(path)


class Replacement:
    """Replaces a file atomically: readers find the old content or the new content, never a part of it.

    `with Replacement(path) as temporary:` gives the path of a new file to write. If the block succeeds, the new file
    takes the place of `path`; otherwise it is removed. Raises `OSError` if `path` cannot be replaced.
    """

    def __init__(self, path: str) -> None:
        folder, name = os.path.split(path)
        self._path = path
        # The name is random, since two threads of one process may write the same file.
        self._temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.part")

    def __enter__(self) -> str:
        return self._temporary

    def __exit__(self, error_class: object, error: object, traceback: object) -> None:
        try:
            if error is None:
                os.replace(self._temporary, self._path)
        finally:
            remove(self._temporary)


def replace_file(path: str, data: bytes) -> None:
    """Write the content of a file atomically; raise `OSError` if that fails."""
    with Replacement(path) as temporary, open(temporary, "wb") as file:
        file.write(data)


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
