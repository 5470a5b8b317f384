"""An answer from the installed files that a paste's frames name, at once, while their packages are mined whole.

What reading those files takes is done once: a second look at the same files imports nothing that reads source.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from whyraise.files import forget_old
from whyraise.installed.process import is_growing, start
from whyraise.installed.state import known, made_by
from whyraise.knowledge.cache import knowledge_file
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Explanation
from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.records.sources import bundled_records
from whyraise.settings import Settings
from whyraise.source_paths import site_of

# The frames of an exception whose files are read for a first answer, and the seconds that reading them may take.
_FRAMES, _SECONDS = 3, 0.8
# Where a path goes through one of these, what follows is a file of an installed package or of the standard library.
_PLACES, _LIBRARY = ("site-packages", "dist-packages"), "/lib/python"
# Where a file lies: its folder of installed packages, and its path in it.
Place = tuple[str, str]


class Named(NamedTuple):
    """An installed file that a frame names: where it lies, its package, and what to mine to know that."""

    root: str
    site: str
    repo: str
    version: str
    target: str
    label: str

    @property
    def is_own(self) -> bool:
        """Whether this interpreter imports the file, and so can mine its package by name."""
        return self.root in (*sys.path, sysconfig.get_paths()["stdlib"])


def explained(found: Explanation, text: str, settings: Settings, limit: int, *, whole: bool = True) -> Explanation:
    """Return a better answer to a text than what is known gives, where its frames name packages not mined yet.

    What is not mined is mined: the files of the frames now, the whole packages of this interpreter in the
    background, unless `whole` is false. Of another interpreter's packages the files alone are known.
    """
    cache = settings.cache()
    folder = os.path.join(cache, "frames")
    files = [file for file in _named(_places(found.exceptions), folder) if settings.mines(file.target)]
    own = {file.label: file.target for file in files if file.is_own}
    mined = known(cache)
    growing = tuple(sorted(own.keys() - (mined.packages if mined else ())))
    if not growing and all(file.is_own for file in files):
        return found
    if growing and whole and not is_growing(cache):
        start(sorted(own.values()), cache)
    path = knowledge_file([bundled_records(), _mined(files, folder)], folder)
    return explain(text, Catalog(path, cache, growing if whole else ()), limit=limit)


def _places(blocks: Sequence[ExceptionBlock]) -> list[Place]:
    """Return where the installed files lie that frames name, those that raised last first, each once."""
    frames = (frame for block in reversed(blocks) for frame in reversed(block.frames[-_FRAMES:]))
    places = ((_root(frame.path), site_of(frame.path)) for frame in frames if ".." not in frame.path)
    return [place for place in dict.fromkeys(places) if place[0] and os.path.isfile(os.path.join(*place))]


def _root(path: str) -> str:
    """Return the folder of installed packages that a frame's file lies in: its own, or where it would lie here."""
    plain = path.replace("\\", "/")
    for place in _PLACES:
        before, found, site = plain.partition(f"/{place}/")
        if found:
            own = [f"{before}/{place}", *(each for each in sys.path if each.endswith(_PLACES))]
            return next((root for root in own if os.path.isfile(os.path.join(root, site))), "")
    library = sysconfig.get_paths()["stdlib"]
    return library if os.path.isfile(os.path.join(library, site_of(path))) and _LIBRARY in plain else ""


def _named(places: Sequence[Place], folder: str) -> list[Named]:
    """Return the files with their packages; which package a file is of is looked up once."""
    if not places:
        return []
    path = os.path.join(folder, f"{_digest(places)}.json")
    try:
        with open(path, encoding="utf-8") as file:
            return [Named(*each) for each in json.load(file)]
    except (OSError, ValueError, TypeError):
        pass
    found = list(_looked_up(places))
    os.makedirs(folder, exist_ok=True)
    part = f"{path}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.replace(part, path)
    forget_old(folder, ".json")
    return found


def _looked_up(places: Sequence[Place]) -> Iterator[Named]:
    from whyraise.installed.grow import labelled, origin_of, target_of  # noqa: PLC0415  # reads what is installed

    for root, site in places:
        if origin := origin_of(root, site):
            target = target_of(origin)
            yield Named(root, site, origin.repo, origin.version, target, labelled(target, origin.version))


def _mined(files: Sequence[Named], folder: str) -> str:
    """Return a file of records mined from a few source files, the raising ones first, as many as time allows."""
    path = os.path.join(folder, f"{_digest([(file.root, file.site) for file in files])}.jsonl")
    if not os.path.exists(path):
        from whyraise.mine.mine import mine, write  # noqa: PLC0415  # reads source
        from whyraise.mine.targets import Origin, SourceFile  # noqa: PLC0415

        end, found = time.monotonic() + _SECONDS, []
        for file in files:
            if time.monotonic() < end:
                origin = Origin(file.repo, file.version, "", "")
                found += list(mine([SourceFile(os.path.join(file.root, file.site), file.site, origin)]))
        write(found, Path(path))
        forget_old(folder, ".jsonl")
    return path


def _digest(places: Sequence[Place]) -> str:
    """Return what a few files, in the state they are in, are kept under."""
    import hashlib  # noqa: PLC0415  # OpenSSL takes 3 ms to load

    states = [(root, site, os.stat(os.path.join(root, site)).st_mtime_ns) for root, site in places]
    return hashlib.sha256(repr((made_by(), states)).encode()).hexdigest()[:16]
