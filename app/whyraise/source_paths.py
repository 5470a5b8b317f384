"""Normalizes and compares the file paths of tracebacks: the same file has different paths on different machines."""

from __future__ import annotations

import re

# The names of folders of installed packages.
PACKAGE_FOLDERS = ("site-packages", "dist-packages")
# Regexes for the folder of installed packages, and for the folder of the standard library on Unix.
_PACKAGE_FOLDER = "|".join(PACKAGE_FOLDERS)
_LIBRARY_FOLDER = r"lib(?:64)?/(?:python|pypy)\d(?:\.\d+)?t?"
# A regex for both, in a path with `/`.
INSTALLED_FOLDER = f"(?:{_PACKAGE_FOLDER}|{_LIBRARY_FOLDER})"
# Windows has the standard library in a folder `Lib`, whose name alone says too little.
_INSTALLED_FILE = rf"(?:^|/){INSTALLED_FOLDER}/|(?i:^[a-z]:/.*(?:python|conda)[^:]*/lib/)|^<frozen "

# Packages keep copies of other packages in folders with these names.
_VENDOR_FOLDERS = {"_vendor", "vendor", "_vendored", "vendored", "externals", "extern"}

# The same code published under two package names.
_RENAMED = (("lightning_fabric/", "lightning/fabric/"), ("pytorch_lightning/", "lightning/pytorch/"))


def site_of(path: str) -> str:
    """Return a file's path relative to the folder of its package, so that all paths of one raise site are equal.

    `src/lightning/fabric/strategies/ddp.py`, `…/site-packages/lightning/fabric/strategies/ddp.py` and
    `…\\lightning_fabric\\strategies\\ddp.py` all give `lightning/fabric/strategies/ddp.py`.
    """
    path = path.replace("\\", "/")
    path = re.split(rf"(?:^|/)(?:{_PACKAGE_FOLDER}|src)/", path)[-1]
    path = re.sub(rf"^.*/{_LIBRARY_FOLDER}/", "", path)
    for old, new in _RENAMED:
        if path.startswith(old):
            return new + path[len(old) :]
    return path


def is_installed(path: str) -> bool:
    """Return whether a traceback's path belongs to an installed package or to the standard library."""
    return re.search(_INSTALLED_FILE, path.replace("\\", "/")) is not None


def is_in_library(path: str) -> bool:
    """Return whether a traceback's path is in a folder of the standard library on Unix, such as `lib/python3.12`."""
    return re.search(f"(?:^|/){_LIBRARY_FOLDER}/", path.replace("\\", "/")) is not None


def same_file(pasted: str, known: str) -> bool:
    """Return whether one path is a suffix of the other: a checkout has folders above its packages.

    A file name without a folder is not enough, and a copy in another package's vendor folder is a different file.
    """
    short, long = sorted((pasted, known), key=len)
    above = long.removesuffix("/" + short)
    return short == long or ("/" in short and above != long and not _VENDOR_FOLDERS & set(above.split("/")))
