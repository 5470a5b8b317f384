"""`whyraise prove`: runs records, prints or writes their proofs, and compares them with their proof.json."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from whyraise.errors import BadInput
from whyraise.knowledge.catalog import Catalog, open_sources
from whyraise.lookup.explain import explain
from whyraise.prove.runner import Runner
from whyraise.prove.sandbox import choose
from whyraise.prove.scenario import Folder, read_folder
from whyraise.prove.stages import prove
from whyraise.records.proof import Proof, Stage, as_json, read, sentence
from whyraise.records.sources import bundled_records
from whyraise.safe_text import replace_controls
from whyraise.source_paths import INSTALLED_FOLDER

SAME, DIFFERENT = 0, 1
# The part of a path that differs by machine: the folder of packages, or the folder of a stage's files.
_MACHINE_PATH = re.compile(rf'File "(?:[^"\n]*/{INSTALLED_FOLDER}/|/[^"\n]*/)')
_DROPPED = ("traceback", "module", "at", "stack", "message")


def run(arguments: SimpleNamespace) -> int:
    """Prove records; return 0 if every result is as in its proof.json, else 1; raise `BadInput` for wrong arguments."""
    folders = list(_folders(arguments.record, arguments.all, Path(arguments.records or bundled_records())))
    proofs = prove_all(folders, arguments.ranks, arguments.unconfined)
    if arguments.write:
        for folder, proof in zip(folders, proofs, strict=True):
            write(folder, proof)
    print(_as_json(proofs) if arguments.json else replace_controls(_report(proofs)))  # noqa: T201
    same = arguments.ranks or all(unchanged(*pair) for pair in zip(folders, proofs, strict=True))
    good = all(proof.verdict in ("proven", "corrected", "unproven") for proof in proofs)
    return SAME if same and good else DIFFERENT


def prove_all(folders: Sequence[Folder], ranks: int | None, unconfined: bool) -> list[Proof]:
    """Run records and return their proofs: bundled records share one sandbox, every other record gets a new one.

    A snippet can kill the worker that its ranks are forked from, and so spoil the proofs of other records.
    """
    runnable = [folder for folder in folders if folder.scenario]
    if not runnable:
        return [_unproven(folder) for folder in folders]
    sandbox, bundled = choose(unconfined), Path(bundled_records()).resolve()
    trusted = [folder for folder in runnable if bundled in folder.path.resolve().parents]
    groups = [trusted] * bool(trusted) + [[folder] for folder in runnable if folder not in trusted]
    proofs: dict[Path, Proof] = {}
    with tempfile.TemporaryDirectory() as cache:
        catalog = open_sources([str(folder.path) for folder in folders], cache)
        for group in groups:
            with Runner(sandbox, _imports(group)) as runner:
                proofs |= {folder.path: _proof(folder, ranks, runner, catalog) for folder in group}
    return [proofs.get(folder.path) or _unproven(folder) for folder in folders]


def _imports(group: Sequence[Folder]) -> list[str]:
    return list(dict.fromkeys(name for folder in group if folder.scenario for name in folder.scenario.imports))


def write(folder: Folder, proof: Proof) -> None:
    """Write proof.json, unless it has the same verdict, stages and digest already."""
    if not unchanged(folder, proof):
        (folder.path / "proof.json").write_text(json.dumps(as_json(proof), indent=2) + "\n", "utf-8")


def unchanged(folder: Folder, proof: Proof) -> bool:
    """Return whether proof.json has this verdict, these stages and this digest; a missing file means "unproven"."""
    path = folder.path / "proof.json"
    if not path.exists():
        return proof.verdict == "unproven"
    old = read(path.read_text("utf-8"), str(path))
    return _compared(old) == _compared(proof)


def _compared(proof: Proof) -> tuple[object, ...]:
    return proof.verdict, proof.digest, [(stage.name, stage.holds) for stage in proof.stages]


def _unproven(folder: Folder) -> Proof:
    return Proof(folder.record["id"], "unproven", (), 0, {}, "", 0.0, _today(), folder.digest)


def _proof(folder: Folder, ranks: int | None, runner: Runner, catalog: Catalog) -> Proof:
    if folder.scenario is None:
        return _unproven(folder)
    started, number = time.monotonic(), ranks or folder.scenario.ranks

    def identify(text: str) -> str:
        found = explain(text, catalog, limit=1).findings
        return found[0].record.id if found else ""

    verdict = "unproven"
    stages: tuple[Stage, ...] = ()
    if reason := _version_mismatch(folder.scenario.libraries, runner.versions):
        stages = (Stage("versions", False, reason, ()),)
    else:
        verdict, stages = prove(folder, number, runner.run, identify)
    used = {
        name: version for name, version in runner.versions.items() if name in ("python", *folder.scenario.libraries)
    }
    seconds = round(time.monotonic() - started, 2)
    stages = tuple(map(_stored, stages))
    return Proof(
        folder.record["id"], verdict, stages, number, used, runner.sandbox.name, seconds, _today(), folder.digest
    )


def _version_mismatch(required: Mapping[str, str], installed: Mapping[str, str]) -> str:
    """Return which libraries are installed in another version than the scenario requires, or an empty string."""
    mismatches = (
        f"{name} {installed.get(name, 'nothing')} is installed, the scenario is for {version}"
        for name, version in required.items()
        if not f"{installed.get(name, '')}.".startswith(f"{version}.")
    )
    return "; ".join(mismatches)


def _stored(stage: Stage) -> Stage:
    """Return a stage as proof.json stores it: of each rank, what it raised and its last lines, with shortened paths."""
    ranks = [{name: value for name, value in rank.items() if name not in _DROPPED} for rank in stage.ranks]
    for rank in ranks:
        rank["lines"] = [_MACHINE_PATH.sub('File "', line) for line in rank.get("lines", ())]
    return stage._replace(ranks=tuple(ranks))


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _report(proofs: Sequence[Proof]) -> str:
    lines = []
    for proof in proofs:
        lines.append(f"{proof.id}  {sentence(proof)} ({proof.seconds} s, {proof.sandbox or 'not run'})")
        lines += [f"  {'holds' if stage.holds else 'FAILS'}  {stage.name}  {stage.reason}" for stage in proof.stages]
    return "\n".join(lines)


def _as_json(proofs: Sequence[Proof]) -> str:
    return json.dumps([as_json(proof) for proof in proofs], indent=2)


def _folders(name: str | None, every: bool, records: Path) -> Iterator[Folder]:
    """Yield the record folders below a path, the one of a record's id, or all if `every` is true."""
    if name and Path(name).is_dir():
        records, every = Path(name), True
    found = [read_folder(path.parent) for path in sorted(records.rglob("record.json"))]
    chosen = [folder for folder in found if every or folder.record["id"] == name]
    if not chosen:
        raise BadInput(f"There is no record {name or ''} in {records}. Name an id, a folder, or --all.")
    yield from chosen
