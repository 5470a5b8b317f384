"""Knowledge out of the box: what installed packages can raise, mined once into the cache and looked up from then on.

A process of its own makes one knowledge file of all that was mined so far and puts it in place as a whole.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from whyraise.errors import BadInput
from whyraise.installed.process import LOCK
from whyraise.installed.state import STATE, Grown, known, made_by
from whyraise.knowledge.cache import knowledge_file
from whyraise.knowledge.catalog import Catalog
from whyraise.mine.mine import mine, write
from whyraise.mine.targets import STANDARD_LIBRARY, Origin, environment, source_files
from whyraise.records.sources import bundled_records
from whyraise.settings import Settings


def wanted(settings: Settings) -> dict[str, str]:
    """Return what `serve` knows out of the box: targets, each with its label.

    Raises `BadInput` where a package is not installed.
    """
    targets = [STANDARD_LIBRARY, *environment()] if settings.mine == "all" else settings.mined_names()
    return {target: label(target) for target in targets}


def label(target: str) -> str:
    """Return name and version of an installed target; raise `BadInput` where it is not installed."""
    try:
        return labelled(target, _python() if target == STANDARD_LIBRARY else metadata.version(target))
    except metadata.PackageNotFoundError as error:
        raise BadInput(f"{target} is not installed. Name an installed distribution, or {STANDARD_LIBRARY}.") from error


def grow(targets: Mapping[str, str], cache: str) -> Grown | None:
    """Mine the targets (each with its label) that are not mined yet, and make one knowledge file of all; return it.

    One process does so at a time: another one waits, and finds most of its work done.
    """
    folder = Path(cache, "mined", made_by())
    folder.mkdir(parents=True, exist_ok=True)
    with open(os.path.join(cache, LOCK), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for target, name in targets.items():
            path = folder / f"{name}.jsonl"
            if not path.exists():
                write(mine(source_files(target, folder)), path)
        _assemble(sorted(folder.glob("*.jsonl")), cache)
    return known(cache)


def _assemble(mined: Sequence[Path], cache: str) -> None:
    """Make one knowledge file of the bundled records and all that was mined, and say where it is."""
    telling = [str(path) for path in mined if path.stat().st_size]
    path = knowledge_file([bundled_records(), *telling], os.path.join(cache, "grown"))
    Catalog(path, cache).connection.close()  # the matcher's database is made here, and not at the first lookup
    told = {
        "version": made_by(),
        "file": os.path.relpath(path, cache),
        "packages": [file.name.removesuffix(".jsonl") for file in mined],
    }
    part = Path(cache, f".{STATE}.{os.getpid()}.part")
    part.write_text(json.dumps(told), "utf-8")
    os.replace(part, Path(cache, STATE))


def origin_of(root: str, site: str) -> Origin | None:
    """Return which distribution a file of a folder belongs to, or nothing where none says that it is its own."""
    if root == sysconfig.get_paths()["stdlib"]:
        return Origin("python/cpython", _python(), "PSF-2.0", "")
    top = site.partition("/")[0].removesuffix(".py").lower()
    found = [each for each in metadata.distributions(path=[root]) if each.name]
    first = sorted(found, key=lambda each: each.name.lower().replace("-", "_") != top)
    for each in first:
        if each.name.lower().replace("-", "_") == top or any(file.as_posix() == site for file in each.files or ()):
            return Origin(f"pypi/{each.name}", each.version, "", "")
    return None


def target_of(origin: Origin) -> str:
    """Return what to mine for a package."""
    return origin.repo.removeprefix("pypi/") if origin.repo.startswith("pypi/") else STANDARD_LIBRARY


def labelled(target: str, version: str) -> str:
    """Return the name and version of a target, as answers show it."""
    return f"{target.lower()} {version}"


def _python() -> str:
    return ".".join(map(str, sys.version_info[:3]))
