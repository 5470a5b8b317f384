"""Answer at once from the installed files that a paste's frames name, while their whole packages are mined.

The result is cached: a second lookup of the same files imports nothing that reads source.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from whyraise.files import remove_old
from whyraise.installed.process import is_mining, start
from whyraise.installed.state import mined_knowledge, miner_version
from whyraise.knowledge.cache import knowledge_file
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Explanation
from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.records.sources import bundled_records
from whyraise.settings import Settings
from whyraise.source_paths import site_of

# The number of innermost frames per exception whose files are mined, and the time after which no more are mined.
_MAX_FRAMES, _MAX_SECONDS = 3, 0.8
# The names of folders of installed packages, and a part of every path of the standard library.
_PACKAGE_FOLDERS, _LIBRARY_FOLDER = ("site-packages", "dist-packages"), "/lib/python"
# A folder of installed packages, and the path of a file in it.
Location = tuple[str, str]


class InstalledFile(NamedTuple):
    """An installed file that a frame names: its location, its package, and the target that mines the package."""

    root: str
    site: str
    repo: str
    version: str
    target: str
    label: str

    @property
    def is_own(self) -> bool:
        """Whether this interpreter can import the file, so that its package can be mined by name."""
        return self.root in (*sys.path, sysconfig.get_paths()["stdlib"])


def improve(explanation: Explanation, text: str, settings: Settings, limit: int, *, whole: bool = True) -> Explanation:
    """Explain a text again with the files that its frames name, if their packages have not been mined yet.

    The files are mined now. Unless `whole` is false, a background process mines the whole packages too, if they are
    packages of this interpreter.
    """
    cache = settings.cache()
    folder = os.path.join(cache, "frames")
    files = [file for file in _identify(_locations(explanation.exceptions), folder) if settings.mines(file.target)]
    own = {file.label: file.target for file in files if file.is_own}
    mined = mined_knowledge(cache)
    growing = tuple(sorted(own.keys() - (mined.packages if mined else ())))
    if not growing and all(file.is_own for file in files):
        return explanation
    if growing and whole and not is_mining(cache):
        start(sorted(own.values()), cache)
    path = knowledge_file([bundled_records(), _mine(files, folder)], folder)
    return explain(text, Catalog(path, cache, growing if whole else ()), limit=limit)


def _locations(blocks: Sequence[ExceptionBlock]) -> list[Location]:
    """Return the locations of the installed files that frames name, the last to raise first, each once."""
    frames = (frame for block in reversed(blocks) for frame in reversed(block.frames[-_MAX_FRAMES:]))
    locations = ((_root(frame.path), site_of(frame.path)) for frame in frames if ".." not in frame.path)
    return [location for location in dict.fromkeys(locations) if location[0] and _is_file(*location)]


def _is_file(root: str, site: str) -> bool:
    return os.path.isfile(os.path.join(root, site))


def _root(path: str) -> str:
    """Return the folder of installed packages that has a frame's file: the one in the path, or one on this machine."""
    posix_path = path.replace("\\", "/")
    for name in _PACKAGE_FOLDERS:
        prefix, separator, site = posix_path.partition(f"/{name}/")
        if separator:
            roots = [f"{prefix}/{name}", *(entry for entry in sys.path if entry.endswith(_PACKAGE_FOLDERS))]
            return next((root for root in roots if _is_file(root, site)), "")
    library = sysconfig.get_paths()["stdlib"]
    return library if _is_file(library, site_of(path)) and _LIBRARY_FOLDER in posix_path else ""


def _identify(locations: Sequence[Location], folder: str) -> list[InstalledFile]:
    """Return the files with their packages; the result is cached in `folder`."""
    if not locations:
        return []
    path = os.path.join(folder, f"{_digest(locations)}.json")
    try:
        with open(path, encoding="utf-8") as file:
            return [InstalledFile(*fields) for fields in json.load(file)]
    except (OSError, ValueError, TypeError):
        pass
    found = list(_look_up(locations))
    os.makedirs(folder, exist_ok=True)
    temporary = f"{path}.{os.getpid()}.part"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.replace(temporary, path)
    remove_old(folder, ".json")
    return found


def _look_up(locations: Sequence[Location]) -> Iterator[InstalledFile]:
    from whyraise.installed.grow import format_label, origin_of, target_of  # noqa: PLC0415  # imports importlib.metadata

    for root, site in locations:
        if origin := origin_of(root, site):
            target = target_of(origin)
            yield InstalledFile(root, site, origin.repo, origin.version, target, format_label(target, origin.version))


def _mine(files: Sequence[InstalledFile], folder: str) -> str:
    """Mine source files in their order until the time is over; return the path of the records, which are cached."""
    path = os.path.join(folder, f"{_digest([(file.root, file.site) for file in files])}.jsonl")
    if not os.path.exists(path):
        from whyraise.mine.mine import mine, write  # noqa: PLC0415  # reads source
        from whyraise.mine.targets import Origin, SourceFile  # noqa: PLC0415

        end, found = time.monotonic() + _MAX_SECONDS, []
        for file in files:
            if time.monotonic() < end:
                origin = Origin(file.repo, file.version, "", "")
                found += list(mine([SourceFile(os.path.join(file.root, file.site), file.site, origin)]))
        write(found, Path(path))
        remove_old(folder, ".jsonl")
    return path


def _digest(locations: Sequence[Location]) -> str:
    """Return the cache key of files: it depends on the miner and on the times when the files were modified."""
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load

    states = [(root, site, os.stat(os.path.join(root, site)).st_mtime_ns) for root, site in locations]
    return hashlib.sha256(repr((miner_version(), states)).encode()).hexdigest()[:16]
