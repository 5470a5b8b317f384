"""Find the files to mine: of installed distributions, the standard library, wheels, source archives and folders."""

from __future__ import annotations

import os
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from whyraise.errors import BadInput
from whyraise.mine.native import is_native
from whyraise.namedtuples import NamedTuple

STANDARD_LIBRARY = "stdlib"
# Tests, and what only looks like source: users never see their messages.
_LEFT_OUT = {"test", "tests", "site-packages", "idlelib", "lib2to3", "turtledemo", "ensurepip", "__pycache__"}
_ARCHIVES = (".whl", ".zip", ".tar.gz", ".tgz", ".tar")


class Origin(NamedTuple):
    """The repository that source comes from, as records name it; version, licence, and the commit of a checkout."""

    repo: str
    version: str
    licence: str
    commit: str


class SourceFile(NamedTuple):
    """A Python file or compiled module: its path on disk, its path within its package, and its origin."""

    path: str
    site: str
    origin: Origin


def source_files(target: str, folder: Path, origin: Origin | None = None) -> list[SourceFile]:
    """Return the files of a target in the order of their paths; archives are unpacked into `folder`.

    Raises `BadInput` if the target is not installed and is no folder and no archive that can be unpacked.
    """
    if target == STANDARD_LIBRARY:
        version = ".".join(map(str, sys.version_info[:3]))
        return _below(Path(sysconfig.get_paths()["stdlib"]), origin or Origin("python/cpython", version, "PSF-2.0", ""))
    if os.path.isdir(target):
        return _below(Path(target), origin or Origin(f"folder/{Path(target).resolve().name}", "", "", ""))
    if target.endswith(_ARCHIVES):
        return _below(_unpacked(Path(target), folder), origin or Origin(f"file/{Path(target).name}", "", "", ""))
    return _installed(target, origin)


def installed_names() -> list[str]:
    """Return the names of all installed distributions."""
    return sorted({found.name for found in metadata.distributions() if found.name}, key=str.lower)


def _installed(name: str, origin: Origin | None) -> list[SourceFile]:
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError as error:
        raise BadInput(
            f"{name} is not installed, and is not a folder or archive. Name a distribution, a path, or stdlib."
        ) from error
    named = [found.metadata[name] for name in ("License-Expression", "License") if name in found.metadata]
    licence = next(filter(None, named), "")
    origin = origin or Origin(f"pypi/{found.name}", found.version, licence.splitlines()[0][:80] if licence else "", "")
    files = (file for file in found.files or () if _is_read(file.name) and not _LEFT_OUT & set(file.parts[:-1]))
    return [
        SourceFile(str(found.locate_file(file)), file.as_posix(), origin)
        for file in sorted(files, key=lambda file: file.as_posix())
        if ".." not in file.parts
    ]


def _below(root: Path, origin: Origin) -> list[SourceFile]:
    return [SourceFile(str(path), path.relative_to(root).as_posix(), origin) for path in _files(root)]


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and not name.startswith("."))
        paths = (Path(folder, name) for name in sorted(names) if _is_read(name))
        yield from (path for path in paths if path.is_file())  # a pipe or a device has no end


def _is_read(name: str) -> bool:
    return name.endswith(".py") or is_native(name)


def _unpacked(archive: Path, folder: Path) -> Path:
    """Unpack an archive and return the folder of its packages: the only top folder, if there is one, as in sdists."""
    target = folder / archive.name
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(target)  # noqa: S202 (members with paths that point outside are written inside)
            return target
        with tarfile.open(archive) as tar:
            tar.extractall(target, filter="data")
    except (OSError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise BadInput(f"{archive} cannot be unpacked: {error}. Name a wheel or a source archive.") from error
    [*entries] = target.iterdir()
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else target
