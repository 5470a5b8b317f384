"""`whyraise prove`: run records, print or write their proofs, and compare them with the ones that are written."""

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

SAME, OTHER = 0, 1
# Where packages lie, and where a stage had its files, differs by machine; the rest of a path says which file it is.
_PLACE = re.compile(r'File "(?:.*/(?:site-packages|lib/python[\d.]+)/|/.*/)')
_DROPPED = ("traceback", "module", "at", "stack", "message")


def run(arguments: SimpleNamespace) -> int:
    """Prove records; return 0 where all is as written in proof.json, 1 where not; raise `BadInput` for wrong usage."""
    folders = list(_folders(arguments.record, arguments.all, Path(arguments.records or bundled_records())))
    proofs = prove_all(folders, arguments.ranks, arguments.unconfined)
    if arguments.write:
        for folder, proof in zip(folders, proofs, strict=True):
            write(folder, proof)
    print(json.dumps([as_json(each) for each in proofs], indent=2) if arguments.json else _words(proofs))  # noqa: T201
    same = arguments.ranks or all(unchanged(*each) for each in zip(folders, proofs, strict=True))
    good = all(each.verdict in ("proven", "corrected", "unproven") for each in proofs)
    return SAME if same and good else OTHER


def prove_all(folders: Sequence[Folder], ranks: int | None, unconfined: bool) -> list[Proof]:
    """Run the given records: those that come with this package in one warm sandbox, every other alone in a cold one.

    A snippet can end the parent that its ranks are forked from, and with it the proofs of others.
    """
    runnable = [folder for folder in folders if folder.scenario]
    if not runnable:
        return [_nothing(folder) for folder in folders]
    sandbox, bundled = choose(unconfined), Path(bundled_records()).resolve()
    ours = [folder for folder in runnable if bundled in folder.path.resolve().parents]
    groups = [ours] * bool(ours) + [[folder] for folder in runnable if folder not in ours]
    proofs: dict[Path, Proof] = {}
    with tempfile.TemporaryDirectory() as cache:
        catalog = open_sources([str(folder.path) for folder in folders], cache)
        for group in groups:
            with Runner(sandbox, _imports(group)) as runner:
                proofs |= {folder.path: _proof(folder, ranks, runner, catalog) for folder in group}
    return [proofs.get(folder.path) or _nothing(folder) for folder in folders]


def _imports(group: Sequence[Folder]) -> list[str]:
    return list(dict.fromkeys(name for each in group if each.scenario for name in each.scenario.imports))


def write(folder: Folder, proof: Proof) -> None:
    """Write proof.json, unless verdict, stages and digest are as they stand there."""
    if not unchanged(folder, proof):
        (folder.path / "proof.json").write_text(json.dumps(as_json(proof), indent=2) + "\n", "utf-8")


def unchanged(folder: Folder, proof: Proof) -> bool:
    """Return whether a written proof has this verdict, these stages and this digest."""
    path = folder.path / "proof.json"
    if not path.exists():
        return proof.verdict == "unproven"
    old = read(path.read_text("utf-8"), str(path))
    return _essence(old) == _essence(proof)


def _essence(proof: Proof) -> tuple[object, ...]:
    return proof.verdict, proof.digest, [(stage.name, stage.holds) for stage in proof.stages]


def _nothing(folder: Folder) -> Proof:
    return Proof(folder.record["id"], "unproven", (), 0, {}, "", 0.0, _today(), folder.digest)


def _proof(folder: Folder, ranks: int | None, runner: Runner, catalog: Catalog) -> Proof:
    if folder.scenario is None:
        return _nothing(folder)
    started, number = time.monotonic(), ranks or folder.scenario.ranks

    def blame(text: str) -> str:
        found = explain(text, catalog, limit=1).findings
        return found[0].record.id if found else ""

    if wrong := _other_versions(folder.scenario.libraries, runner.versions):
        verdict, stages = _otherwise(wrong)
    else:
        verdict, stages = prove(folder, number, runner.run, blame)
    used = {
        name: version for name, version in runner.versions.items() if name in ("python", *folder.scenario.libraries)
    }
    seconds = round(time.monotonic() - started, 2)
    kept = tuple(map(_kept, stages))
    return Proof(
        folder.record["id"], verdict, kept, number, used, runner.sandbox.name, seconds, _today(), folder.digest
    )


def _otherwise(reason: str) -> tuple[str, tuple[Stage, ...]]:
    return "unproven", (Stage("versions", False, reason, ()),)


def _other_versions(wanted: Mapping[str, str], found: Mapping[str, str]) -> str:
    """Return which library of a scenario is there in another version than it was written for, or nothing."""
    wrong = (
        f"{name} {found.get(name, 'nothing')} is installed, the scenario is for {version}"
        for name, version in wanted.items()
        if not f"{found.get(name, '')}.".startswith(f"{version}.")
    )
    return "; ".join(wrong)


def _kept(stage: Stage) -> Stage:
    """Return a stage as proof.json has it: of each rank what it raised and its last lines."""
    ranks = [{name: value for name, value in rank.items() if name not in _DROPPED} for rank in stage.ranks]
    for rank in ranks:
        rank["lines"] = [_PLACE.sub('File "', line) for line in rank.get("lines", ())]
    return stage._replace(ranks=tuple(ranks))


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _words(proofs: Sequence[Proof]) -> str:
    lines = []
    for proof in proofs:
        lines.append(f"{proof.id}  {sentence(proof)} ({proof.seconds} s, {proof.sandbox or 'not run'})")
        lines += [f"  {'holds' if stage.holds else 'FAILS'}  {stage.name}  {stage.reason}" for stage in proof.stages]
    return "\n".join(lines)


def _folders(named: str | None, every: bool, records: Path) -> Iterator[Folder]:
    """Yield the folders that a path or id names, or all."""
    if named and Path(named).is_dir():
        records, every = Path(named), True
    found = [read_folder(path.parent) for path in sorted(records.rglob("record.json"))]
    chosen = [each for each in found if every or each.record["id"] == named]
    if not chosen:
        raise BadInput(f"There is no record {named or ''} in {records}. Name an id, a folder, or --all.")
    yield from chosen
