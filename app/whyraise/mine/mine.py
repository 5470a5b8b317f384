"""`whyraise mine`: read the source of targets on all cores, and write the records of it as JSON Lines."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from whyraise.errors import BadInput
from whyraise.files import replace_file
from whyraise.mine import native
from whyraise.mine.fragments import fragments
from whyraise.mine.native import is_native
from whyraise.mine.raises import raises
from whyraise.mine.scopes import UNREADABLE, read_file
from whyraise.mine.targets import Origin, SourceFile, installed_names, source_files
from whyraise.mine.to_record import record

# The number of files that a process reads at a time, and the number up to which no other processes are started.
_CHUNK_SIZE, _MAX_SERIAL = 40, 80


def run(arguments: SimpleNamespace) -> int:
    """Mine targets into a file; return 0 if any record was found, 1 if none was."""
    targets = [*arguments.targets, *(installed_names() if arguments.environment else ())]
    if not targets:
        raise BadInput("Nothing to mine. Name distributions, paths or stdlib, or use --environment.")
    origin = _checkout(arguments.repo, arguments.commit)
    with tempfile.TemporaryDirectory() as folder:
        files = [file for target in targets for file in source_files(target, Path(folder), origin)]
        envelopes = list(mine(files, excerpts=arguments.excerpts == "full"))
    write(envelopes, Path(arguments.out))
    print(f"{arguments.out}: {len(envelopes)} records from {len(files)} files", file=sys.stderr)  # noqa: T201
    return 0 if envelopes else 1


def mine(files: Sequence[SourceFile], *, excerpts: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the records of files, each id once. The same files always give the same records in the same order."""
    seen: set[str] = set()
    for mined in _mine_chunks(files, excerpts):
        for problem in mined.problems:
            print(f"skipped: {problem}", file=sys.stderr)  # noqa: T201
        for envelope in mined.records:
            record_id = envelope["record"]["id"]
            if record_id not in seen:
                seen.add(record_id)
                yield envelope


class _Mined:
    """The records of a few files, and why files were skipped."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.problems: list[str] = []


def _mine_chunks(files: Sequence[SourceFile], excerpts: bool) -> Iterator[_Mined]:
    """Yield the records of chunks of files, in their order, mined in several processes if there are many files."""
    chunks = [files[start : start + _CHUNK_SIZE] for start in range(0, len(files), _CHUNK_SIZE)]
    if len(files) <= _MAX_SERIAL:
        yield from (_mine_chunk(chunk, excerpts) for chunk in chunks)
        return
    with ProcessPoolExecutor() as pool:
        for number, mined in enumerate(pool.map(_mine_chunk, chunks, [excerpts] * len(chunks)), 1):
            _print_progress(min(number * _CHUNK_SIZE, len(files)), len(files))
            yield mined


def _print_progress(done: int, count: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {count} files", end="\n" if done == count else "", file=sys.stderr)  # noqa: T201


def _mine_chunk(files: Iterable[SourceFile], excerpts: bool) -> _Mined:
    mined = _Mined()
    for file in files:
        try:
            envelopes = _mine_native(file) if is_native(file.site) else _mine_source(file, excerpts)
            mined.records += [envelope for envelope in envelopes if envelope is not None]
        except UNREADABLE as error:
            mined.problems.append(f"{file.site}: {error}")
    return mined


def _mine_source(file: SourceFile, excerpts: bool) -> list[dict[str, Any] | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree, module = read_file(file.path, file.site)
    known = list(raises(tree, module))
    found = (*known, *fragments(module, known))
    return [record(raised, module, file.origin, excerpts=excerpts) for raised in found]


def _mine_native(file: SourceFile) -> list[dict[str, Any] | None]:
    module, texts = native.read(file.path, native.site_of_module(file.site))
    return [record(text, module, file.origin, excerpts=False) for text in texts]


def _checkout(repo: str | None, commit: str | None) -> Origin | None:
    if bool(repo) != bool(commit):
        raise BadInput("--repo and --commit must be given together: links to a checkout need both.")
    return Origin(str(repo), str(commit)[:12], "", str(commit)) if repo else None


def write(envelopes: Iterable[dict[str, Any]], path: Path) -> None:
    """Write records as JSON Lines, compressed if the file name ends in `.zst`; raise `BadInput` if that fails."""
    lines = (json.dumps(envelope, ensure_ascii=False).encode("utf-8", "replace") for envelope in envelopes)
    data = b"".join(line + b"\n" for line in lines)
    if path.suffix == ".zst":
        import zstandard  # noqa: PLC0415  # needed for compressed files only

        data = zstandard.ZstdCompressor(level=9).compress(data)
    try:
        replace_file(str(path), data)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}. Name another file.") from error
