"""A file's path as its package knows it."""

from __future__ import annotations

import re

_INSTALLED = (
    r"(?:^|/)(?:(?:site|dist)-packages|lib(?:64)?/(?:python|pypy)\d(?:\.\d+)?t?)/"
    r"|(?i:^[a-z]:/.*(?:python|conda)[^:]*/lib/)|^<frozen "
)


# What packages call the folder of the copies of other packages that they carry.
_COPIES = {"_vendor", "vendor", "_vendored", "vendored", "externals", "extern"}


# The same code published under two package names.
_RENAMED = (("lightning_fabric/", "lightning/fabric/"), ("pytorch_lightning/", "lightning/pytorch/"))


def site_of(path: str) -> str:
    """Return a file's path as its package knows it, so that every spelling of one raise site is equal.

    `src/lightning/fabric/strategies/ddp.py`, `…/site-packages/lightning/fabric/strategies/ddp.py` and
    `…\\lightning_fabric\\strategies\\ddp.py` all give `lightning/fabric/strategies/ddp.py`.
    """
    path = path.replace("\\", "/")
    path = re.split(r"(?:^|/)(?:site-packages|dist-packages|src)/", path)[-1]
    path = re.sub(r"^.*/lib/python\d(?:\.\d+)?/", "", path)
    for old, new in _RENAMED:
        if path.startswith(old):
            return new + path[len(old) :]
    return path


def is_installed(path: str) -> bool:
    """Say whether a file as a traceback names it is part of an installed package or of the standard library."""
    return re.search(_INSTALLED, path.replace("\\", "/")) is not None


def same_file(pasted: str, known: str) -> bool:
    """Say whether one path is the tail of the other: a checkout has folders above its packages.

    A bare file name is not enough, and a copy that another package carries is a file of its own.
    """
    short, long = sorted((pasted, known), key=len)
    above = long.removesuffix("/" + short)
    return short == long or ("/" in short and above != long and not _COPIES & set(above.split("/")))
