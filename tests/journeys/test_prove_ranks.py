"""Proofs across real ranks: process groups left dirty, ranks that never come, libraries patched, records of others."""

import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.published import SEED_ID
from tests.support.repository import RECORDS
from tests.support.scenarios import FIX, GUARD, NUMBER, SCENARIO, after, folder_of, run
from whyraise.cli.main import main
from whyraise.prove.command import prove_all, write
from whyraise.prove.runner import Runner
from whyraise.prove.sandbox import choose
from whyraise.prove.scenario import Folder
from whyraise.records.proof import read

pytestmark = [
    pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed: make system"),
    pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="torch is not installed: make .venv/prove"),
]
GLOO = (
    SCENARIO.replace(
        "import decimal\nimport os\n", "import decimal\nimport os\n\nimport torch\nimport torch.distributed as dist\n"
    )
    .replace(
        'IMPORTS = ["json", "decimal"]\nLIMIT = 2', 'IMPORTS = ["torch", "torch.distributed", "decimal"]\nLIMIT = 4'
    )
    .replace("LIBRARIES = {}", 'LIBRARIES = {"torch": "2.13"}')
    .replace("def world(names):\n", 'def world(names):\n    dist.is_initialized() or dist.init_process_group("gloo")\n')
)
DIRTY = {
    "process group destroyed": ("import torch.distributed as dist\ndist.destroy_process_group()\n", "the snippet created or destroyed the process group"),
    "one collective more on one rank": (
        "import torch, torch.distributed as dist\nif rank == 0:\n    dist.all_reduce(torch.zeros(1))\n", "rank",
    ),
    "one rank never comes": (
        "import time, torch, torch.distributed as dist\nif rank == 1:\n    time.sleep(60)\ndist.all_reduce(torch.zeros(1))\n",
        "rank 0: over the time limit in snippet, waits in all_reduce; rank 1: over the time limit in snippet, in no collective: "
        "<module>; did not reach a collective: rank 1",
    ),
    "library patched": ("import torch\ntorch.allclose = lambda *_: True\n", "the snippet changed torch.allclose"),
    "method of a library patched": (
        "import torch.distributed as dist\ndist.ProcessGroup.size = lambda _: 1\n", "the snippet changed torch.distributed.",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(choose(unconfined=False), ["torch", "torch.distributed", "decimal"]) as started:
        yield started


def test_a_right_fix_is_proven_across_ranks(tmp_path: Path, runner: Runner) -> None:
    assert run(folder_of(tmp_path, GLOO), runner)[0] == "proven"


@pytest.mark.parametrize("way", DIRTY)
def test_a_fix_that_leaves_ranks_or_library_other_than_it_found_them_is_broken(
    way: str, tmp_path: Path, runner: Runner
) -> None:
    code, reason = DIRTY[way]
    verdict, stages = run(folder_of(tmp_path, GLOO, exampleFix=after(NUMBER + code)), runner)
    [failed] = [stage for stage in stages if not stage.holds]
    assert (verdict, failed.name, reason in failed.reason) == ("broken", "after", True), failed.reason


def test_the_first_records_correction_is_proven_on_four_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", SEED_ID, "--ranks", "4", "--json"]) == 0
    [proof] = json.loads(capsys.readouterr().out)
    assert (proof["verdict"], proof["ranks"]) == ("corrected", 4)
    assert {stage["name"]: stage["holds"] for stage in proof["stages"] if stage["name"] in WRONG} == WRONG


# What was published and does not run, stage by stage.
WRONG = {
    "before": False, "after": False, "validationCode.bad_raw": False, "validationCode.good_setup": False,
    "typeGuard.good_setup": False, "corrected.after": True, "corrected.typeGuard.good_setup": True,
}  # fmt: skip


def folder(path: Path, text: str, scenario: str = SCENARIO, **changed: object) -> Folder:
    path.mkdir()
    fields = {"id": text, **changed}
    return folder_of(path, scenario, **fields)


def test_records_of_others_run_alone_so_that_one_that_ends_its_parent_spoils_no_other(tmp_path: Path) -> None:
    kill = after("import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(9)\n")
    alone = SCENARIO.replace(
        "    assert names", '    import sys\n    assert "torch" not in sys.modules\n    assert names'
    )
    bad = folder(tmp_path / "a", "a" * 16, GLOO, exampleFix=kill)
    other = {"errorMessage": "the total {text} is no number", "messagePattern": "the total (.+?) is no number"}
    alone = alone.replace("the amount {text} is no decimal number", "the total {text} is no number")
    good = folder(tmp_path / "b", "b" * 16, alone, **other)
    proofs = prove_all([bad, good], None, unconfined=False)
    assert [(proof.id, proof.verdict) for proof in proofs] == [("a" * 16, "broken"), ("b" * 16, "proven")]


def test_a_scenario_for_another_version_of_a_library_proves_nothing_here(tmp_path: Path) -> None:
    [proof] = prove_all([folder_of(tmp_path, GLOO.replace('"2.13"', '"2.1"'))], None, unconfined=False)
    assert (proof.verdict, [stage.reason for stage in proof.stages]) == (
        "unproven", ["torch 2.13.0+cpu is installed, the scenario is for 2.1"],
    )  # fmt: skip


def test_writing_leaves_a_proof_alone_whose_verdict_and_stages_are_unchanged(tmp_path: Path) -> None:
    known = folder_of(tmp_path)
    [proof] = prove_all([known], None, unconfined=False)
    write(known, proof)
    written = (tmp_path / "proof.json").read_text("utf-8")
    write(known, proof._replace(seconds=99.0, date="2027-01-01"))
    assert (tmp_path / "proof.json").read_text("utf-8") == written
    write(known, proof._replace(verdict="broken"))
    assert '"verdict": "broken"' in (tmp_path / "proof.json").read_text("utf-8")


def test_a_result_that_differs_from_the_written_one_fails_the_command(tmp_path: Path) -> None:
    folder_of(tmp_path)
    assert main(["prove", str(tmp_path), "--write"]) == 0
    assert main(["prove", str(tmp_path)]) == 0
    folder_of(tmp_path, typeGuard=GUARD.replace('","', '";"'), exampleFix=FIX)
    assert main(["prove", str(tmp_path)]) == 1


# Curated records of this repository whose fix was never proven: this list may only shrink.
UNPROVEN: tuple[str, ...] = ()


def test_every_curated_record_is_proven_but_for_a_list_that_only_shrinks() -> None:
    proofs = {
        path.parent: read((path.parent / "proof.json").read_text("utf-8")) for path in RECORDS.rglob("record.json")
    }
    unproven = {proof.id for proof in proofs.values() if proof.verdict not in ("proven", "corrected")}
    assert unproven == set(UNPROVEN)
