"""`whyraise mine`: read the source of targets over all cores, and write its records as JSON Lines."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from whyraise.errors import BadInput
from whyraise.mine import native
from whyraise.mine.fragments import fragments
from whyraise.mine.native import is_native
from whyraise.mine.raises import raises
from whyraise.mine.scopes import UNREADABLE, read_file
from whyraise.mine.targets import Origin, SourceFile, environment, source_files
from whyraise.mine.to_record import record

# Files that one process reads at a time, and files below which one process reads all.
_CHUNK, _FEW = 40, 80


def run(arguments: SimpleNamespace) -> int:
    """Mine targets into a file; return 0 where a record was found, 1 where none was."""
    targets = [*arguments.targets, *(environment() if arguments.environment else ())]
    if not targets:
        raise BadInput("Nothing to mine: name distributions, paths or stdlib, or say --environment.")
    origin = _checkout(arguments.repo, arguments.commit)
    with tempfile.TemporaryDirectory() as folder:
        files = [file for target in targets for file in source_files(target, Path(folder), origin)]
        found = list(mine(files, excerpts=arguments.excerpts == "full"))
    write(found, Path(arguments.out))
    print(f"{arguments.out}: {len(found)} records from {len(files)} files", file=sys.stderr)  # noqa: T201
    return 0 if found else 1


def mine(files: Sequence[SourceFile], *, excerpts: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the records of files, each id once, the same ones in the same order for the same files."""
    seen: set[str] = set()
    for found in _over_cores(files, excerpts):
        for problem in found.problems:
            print(f"skipped: {problem}", file=sys.stderr)  # noqa: T201
        for envelope in found.records:
            known = envelope["record"]["id"]
            if known not in seen:
                seen.add(known)
                yield envelope


class _Found:
    """What a few files gave."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.problems: list[str] = []


def _over_cores(files: Sequence[SourceFile], excerpts: bool) -> Iterator[_Found]:
    chunks = [files[at : at + _CHUNK] for at in range(0, len(files), _CHUNK)]
    if len(files) <= _FEW:
        yield from (_read(chunk, excerpts) for chunk in chunks)
        return
    with ProcessPoolExecutor() as pool:
        for number, found in enumerate(pool.map(_read, chunks, [excerpts] * len(chunks)), 1):
            _progress(min(number * _CHUNK, len(files)), len(files))
            yield found


def _progress(done: int, count: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {count} files", end="\n" if done == count else "", file=sys.stderr)  # noqa: T201


def _read(files: Iterable[SourceFile], excerpts: bool) -> _Found:
    found = _Found()
    for file in files:
        try:
            records = _of_module(file) if is_native(file.site) else _of_source(file, excerpts)
            found.records += [envelope for envelope in records if envelope is not None]
        except UNREADABLE as error:
            found.problems.append(f"{file.site}: {error}")
    return found


def _of_source(file: SourceFile, excerpts: bool) -> list[dict[str, Any] | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree, module = read_file(file.path, file.site)
    known = list(raises(tree, module))
    return [record(each, module, file.origin, excerpts=excerpts) for each in (*known, *fragments(module, known))]


def _of_module(file: SourceFile) -> list[dict[str, Any] | None]:
    module, texts = native.read(file.path, native.site_of_module(file.site))
    return [record(text, module, file.origin, excerpts=False) for text in texts]


def _checkout(repo: str | None, commit: str | None) -> Origin | None:
    if bool(repo) != bool(commit):
        raise BadInput("--repo and --commit go together: a checkout is known by both.")
    return Origin(str(repo), str(commit)[:12], "", str(commit)) if repo else None


def write(found: Iterable[dict[str, Any]], path: Path) -> None:
    """Write records as JSON Lines, packed where the name ends in `.zst`; raise `BadInput` where that fails."""
    data = b"".join(json.dumps(each, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for each in found)
    if path.suffix == ".zst":
        import zstandard  # noqa: PLC0415  # only for files that are named so

        data = zstandard.ZstdCompressor(level=9).compress(data)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}. Name another file.") from error
