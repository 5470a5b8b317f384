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

from whyraise.files import remove_old, replace_file
from whyraise.installed.process import is_mining, start_and_forget
from whyraise.installed.state import mined_knowledge, miner_version
from whyraise.knowledge.cache import is_usable, knowledge_file
from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.settings import Settings
from whyraise.source_paths import PACKAGE_FOLDERS, is_in_library, site_of

# The number of innermost frames per exception whose files are mined, and the time after which no more are mined.
_MAX_FRAMES, _MAX_SECONDS = 3, 0.8
# Files of mined records that are kept, so that an id in a recent answer can be looked up.
_KEPT_FILES = 64
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


class FrameRecords(NamedTuple):
    """The knowledge file of what was mined from the files that frames name, and the packages still being mined."""

    path: str
    growing: tuple[str, ...]


def mine_frames(blocks: Sequence[ExceptionBlock], settings: Settings, *, any_path: bool) -> FrameRecords | None:
    """Mine the installed files that the frames of exceptions name, if their packages have not been mined yet.

    A background process mines the whole packages too, if they are packages of this interpreter. Files of other
    interpreters are read only with `any_path`: a paste of a stranger must not choose what is read on this machine.
    """
    cache = settings.cache()
    folder = _folder(cache)
    files = [file for file in _identify(_locations(blocks), folder) if settings.mines(file.target)]
    mined = mined_knowledge(cache)
    packages = mined.packages if mined else frozenset()
    missing = [file for file in files if (file.label not in packages if file.is_own else any_path)]
    if not missing:
        return None
    own = {file.label: file.target for file in missing if file.is_own}
    if own and not is_mining(cache):
        start_and_forget(sorted(own.values()), cache)
    path = knowledge_file([_mine(missing, folder)], folder, keep=_KEPT_FILES)
    return FrameRecords(path, tuple(sorted(own)))


def recent_files(cache: str) -> list[str]:
    """Return the knowledge files that `mine_frames` made, the newest first."""
    folder = os.path.join(_folder(cache), "knowledge")
    try:
        paths = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".db")]
    except OSError:
        return []
    return sorted(filter(is_usable, paths), key=os.path.getmtime, reverse=True)


def _folder(cache: str) -> str:
    return os.path.join(cache, "frames")


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
    for name in PACKAGE_FOLDERS:
        prefix, separator, site = posix_path.partition(f"/{name}/")
        if separator:
            roots = [f"{prefix}/{name}", *(entry for entry in sys.path if entry.endswith(PACKAGE_FOLDERS))]
            return next((root for root in roots if _is_file(root, site)), "")
    library = sysconfig.get_paths()["stdlib"]
    return library if _is_file(library, site_of(path)) and is_in_library(path) else ""


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
    replace_file(path, json.dumps(found).encode())
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
