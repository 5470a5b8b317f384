"""Knowledge out of the box: what installed packages can raise, mined once into the cache and looked up from then on.

A paste is answered at once from the files that its frames name. The whole packages follow in a process of their own,
which makes one knowledge file of all that was mined so far and puts it in place as a whole.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from whyraise.cached import forget_old, knowledge_file
from whyraise.catalog import Catalog
from whyraise.errors import BadInput
from whyraise.exceptions import ExceptionBlock
from whyraise.explain import Explanation, explain
from whyraise.frames import site_of
from whyraise.grown import LIBRARY, PLACES, STATE, Grown, known
from whyraise.mine.command import mine, write
from whyraise.mine.targets import STANDARD_LIBRARY, Origin, SourceFile, environment, source_files
from whyraise.settings import Settings
from whyraise.sources import bundled_records
from whyraise.version import VERSION

# The frames of an exception whose files are read for a first answer, and the seconds that reading them may take.
_FRAMES, _SECONDS = 3, 0.8
_LOCK = "grow.lock"


def explained(found: Explanation, text: str, settings: Settings, limit: int, *, whole: bool = True) -> Explanation:
    """Return a better answer to a text than what is known gives, where its frames name packages not mined yet.

    What is not mined is mined: the files of the frames now, the whole packages of this interpreter in the
    background unless `whole` is false. Of another interpreter's packages the files alone are known.
    """
    cache = settings.cache()
    files = [file for file in _named_files(found.exceptions) if settings.mines(_target(file.origin))]
    own = {_label(file.origin): _target(file.origin) for file in files if _is_own(file)}
    mined = known(cache)
    growing = tuple(sorted(own.keys() - (mined.packages if mined else ())))
    if not growing and all(map(_is_own, files)):
        return found
    if growing and whole and not is_growing(cache):
        start(sorted(own.values()), cache)
    folder = os.path.join(cache, "frames")
    path = knowledge_file([bundled_records(), _mined_files(files, folder)], folder)
    return explain(text, Catalog(path, cache, growing if whole else ()), limit=limit)


def start(targets: Sequence[str], cache: str) -> int:
    """Mine targets in a process of their own, which goes on when this one ends; return its number."""
    # -P: the folder that somebody stands in is not searched for modules.
    command = [sys.executable, "-P", "-m", "whyraise", "grow", *targets]
    silent = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": cache}
    return os.posix_spawn(sys.executable, command, environment, file_actions=silent, setsid=True)


def is_growing(cache: str) -> bool:
    """Say whether a process is mining for this cache."""
    try:
        with open(os.path.join(cache, _LOCK), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def wanted(settings: Settings) -> dict[str, str]:
    """Return what `serve` knows out of the box: targets, each with its label.

    Raises `BadInput` where a package is not installed.
    """
    targets = [STANDARD_LIBRARY, *environment()] if settings.mine == "all" else settings.mined_names()
    return {target: label(target) for target in targets}


def label(target: str) -> str:
    """Return name and version of an installed target; raise `BadInput` where it is not installed."""
    try:
        return _labelled(target, _python() if target == STANDARD_LIBRARY else metadata.version(target))
    except metadata.PackageNotFoundError as error:
        raise BadInput(f"{target} is not installed. Name an installed distribution, or {STANDARD_LIBRARY}.") from error


def grow(targets: Mapping[str, str], cache: str) -> Grown | None:
    """Mine the targets (each with its label) that are not mined yet, and make one knowledge file of all; return it.

    One process does so at a time: another one waits, and finds most of its work done.
    """
    folder = Path(cache, "mined", VERSION)  # another version of the miner finds other records
    folder.mkdir(parents=True, exist_ok=True)
    with open(os.path.join(cache, _LOCK), "w", encoding="utf-8") as lock:
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
        "version": VERSION,
        "file": os.path.relpath(path, cache),
        "packages": [file.name.removesuffix(".jsonl") for file in mined],
    }
    part = Path(cache, f".{STATE}.{os.getpid()}.part")
    part.write_text(json.dumps(told), "utf-8")
    os.replace(part, Path(cache, STATE))


def _mined_files(files: Sequence[SourceFile], folder: str) -> str:
    """Return a file of records mined from a few source files, the raising ones first, as many as time allows."""
    states = [(file.path, os.stat(file.path).st_mtime_ns) for file in files]
    path = Path(folder, f"{_digest(repr((VERSION, states)))}.jsonl")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        end, found = time.monotonic() + _SECONDS, []
        for file in files:
            if time.monotonic() < end:
                found += list(mine([file]))
        write(found, path)
        forget_old(folder, ".jsonl")
    return str(path)


def _digest(text: str) -> str:
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load

    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _named_files(blocks: Sequence[ExceptionBlock]) -> Iterator[SourceFile]:
    """Yield the installed files that frames name, those that raised last first, each once."""
    seen = set()
    for block in reversed(blocks):
        for frame in reversed(block.frames[-_FRAMES:]):
            root = _root(frame.path)
            site = site_of(frame.path)
            path = os.path.join(root, site) if root else ""
            if path and path not in seen and os.path.isfile(path):
                seen.add(path)
                if origin := _origin(root, site):
                    yield SourceFile(path, site, origin)


def _is_own(file: SourceFile) -> bool:
    """Say whether a file is one that this interpreter imports, and so one of a package that it can mine by name."""
    return os.path.dirname(file.path[: -len(file.site)]) in (*sys.path, sysconfig.get_paths()["stdlib"])


def _root(path: str) -> str:
    """Return the folder of installed packages that a frame's file lies in: its own, or where it would lie here."""
    plain = path.replace("\\", "/")
    for place in PLACES:
        before, found, site = plain.partition(f"/{place}/")
        if found:
            own = [f"{before}/{place}", *(each for each in sys.path if each.endswith(PLACES))]
            return next((root for root in own if os.path.isfile(os.path.join(root, site))), "")
    library = sysconfig.get_paths()["stdlib"]
    return library if os.path.isfile(os.path.join(library, site_of(path))) and LIBRARY in plain else ""


def _origin(root: str, site: str) -> Origin | None:
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


def _label(origin: Origin) -> str:
    return _labelled(_target(origin), origin.version)


def _labelled(target: str, version: str) -> str:
    return f"{target.lower()} {version}"


def _target(origin: Origin) -> str:
    return origin.repo.removeprefix("pypi/") if origin.repo.startswith("pypi/") else STANDARD_LIBRARY


def _python() -> str:
    return ".".join(map(str, sys.version_info[:3]))
