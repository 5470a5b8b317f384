"""Mine installed packages into the cache, each once, and build one knowledge file of all that has been mined.

The knowledge file replaces the previous one atomically.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from whyraise.errors import BadInput
from whyraise.files import MINED_STATE, replace_file
from whyraise.installed.process import LOCK_FILE
from whyraise.installed.state import MinedKnowledge, mined_knowledge, miner_version
from whyraise.knowledge.cache import knowledge_file
from whyraise.knowledge.catalog import open_file
from whyraise.mine.mine import mine, write
from whyraise.mine.targets import STANDARD_LIBRARY, Origin, installed_names, source_files
from whyraise.settings import Settings


def configured_targets(settings: Settings) -> dict[str, str]:
    """Return the targets that the settings name, each with its label: by default all installed distributions.

    Raises `BadInput` if a target is not installed.
    """
    targets = [STANDARD_LIBRARY, *installed_names()] if settings.mine == "all" else settings.mined_names()
    return {target: label(target) for target in targets}


def label(target: str) -> str:
    """Return name and version of an installed target; raise `BadInput` if it is not installed."""
    try:
        return format_label(target, _python_version() if target == STANDARD_LIBRARY else metadata.version(target))
    except metadata.PackageNotFoundError as error:
        raise BadInput(f"{target} is not installed. Name an installed distribution, or {STANDARD_LIBRARY}.") from error


def grow(targets: Mapping[str, str], cache: str) -> MinedKnowledge | None:
    """Mine targets that have not been mined yet, and return the knowledge file of all that has been mined.

    `targets` maps each target to its label. Only one process mines at a time; another one waits.
    """
    from filelock import FileLock  # noqa: PLC0415  # lookups import this module too, and do not mine

    folder = Path(cache, "mined", miner_version())
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(os.path.join(cache, LOCK_FILE)):
        for target, target_label in targets.items():
            path = folder / f"{target_label}.jsonl"
            if not path.exists():
                write(mine(source_files(target, folder)), path)
        _build(sorted(folder.glob("*.jsonl")), cache)
    return mined_knowledge(cache)


def _build(mined: Sequence[Path], cache: str) -> None:
    """Build one knowledge file of all that has been mined, and write the state file."""
    sources = [str(path) for path in mined if path.stat().st_size]
    path = knowledge_file(sources, os.path.join(cache, "grown"))
    open_file(path, cache).close()  # compiles the matcher's database now, not at the first lookup
    state = {
        "version": miner_version(),
        "file": os.path.relpath(path, cache),
        "packages": [file.name.removesuffix(".jsonl") for file in mined],
    }
    replace_file(os.path.join(cache, MINED_STATE), json.dumps(state).encode())


def origin_of(root: str, site: str) -> Origin | None:
    """Return the distribution that a file of a folder belongs to, or None if none is found.

    `root` is a folder of installed packages, `site` the path of the file in it.
    """
    if root == sysconfig.get_paths()["stdlib"]:
        return Origin("python/cpython", _python_version(), "PSF-2.0", "")
    top = site.partition("/")[0].removesuffix(".py").lower()
    distributions = [found for found in metadata.distributions(path=[root]) if found.name]
    for found in sorted(distributions, key=lambda found: _import_name(found.name) != top):
        if _import_name(found.name) == top or any(file.as_posix() == site for file in found.files or ()):
            return Origin(f"pypi/{found.name}", found.version, "", "")
    return None


def _import_name(distribution: str) -> str:
    """Return the name that a distribution is most likely imported by."""
    return distribution.lower().replace("-", "_")


def target_of(origin: Origin) -> str:
    """Return the target that mines the package of an origin."""
    return origin.repo.removeprefix("pypi/") if origin.repo.startswith("pypi/") else STANDARD_LIBRARY


def format_label(target: str, version: str) -> str:
    """Return the name and version of a target, as answers show them."""
    return f"{target.lower()} {version}"


def _python_version() -> str:
    return ".".join(map(str, sys.version_info[:3]))
