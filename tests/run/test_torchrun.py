"""`whyraise run -- torchrun`: a training that fails on one of two ranks, and the rank that failed first."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.seed import TRACEBACK
from tests.support.terminal import Screen, Terminal, Typed
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import summary
from whyraise.run.torchrun import root_cause_first

needs_torch = pytest.mark.skipif(
    not importlib.util.find_spec("torch"), reason="torch is not installed: make .venv/prove"
)

# DistributedDataParallel raises an error only on rank 1; rank 0 waits for it.
TRAIN = """
import signal, torch, traceback
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
print("rank", rank, "is here", flush=True)
if rank == 1:
    torch.nn.parallel.DistributedDataParallel(torch.nn.ReLU())
try:
    dist.barrier()
except RuntimeError:  # the other rank is gone; torchrun must not see this one end first
    traceback.print_exc()
    signal.pause()
"""
WAITS = """
import os, time
os.write(1, b"ready\\n")
time.sleep(60)
"""
WHYRAISE = f"{sys.executable} -m whyraise run --"
HINT = "whyraise: exact: DistributedDataParallel is not needed when a module doesn't have any parameter"
RECORD = "615c77e2f0521c45"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN, "utf-8")
    (tmp_path / "waits.py").write_text(WAITS, "utf-8")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "WHYRAISE_CACHE_DIR": str(folder / "cache"), "WHYRAISE_MINE": "off", "OMP_NUM_THREADS": "1"}


def torchrun(script: str, folder: Path) -> str:
    """Return a command with the output and exit code of torchrun, which also writes the output to the file `copy`."""
    # torchrun and its ranks share one pipe, as they would share a terminal; `tee -i` ignores Ctrl-C and runs on.
    line = f"{sys.executable} -m torch.distributed.run --nproc-per-node 2 {folder / script} 2>&1 | tee -i {folder}/copy"
    return f"bash -c 'set -o pipefail; {line}'"


@needs_torch
def test_the_finding_names_the_rank_that_failed_and_the_other_output_is_unchanged(folder: Path) -> None:
    command = ["bash", "-c", f"{WHYRAISE} {torchrun('train.py', folder)}"]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, timeout=100, check=False)
    assert done.returncode == 1
    assert done.stdout == (folder / "copy").read_bytes()
    assert_names_rank_1(done.stderr)


@needs_torch
def test_the_same_holds_at_a_terminal(folder: Path) -> None:
    screen = at_terminal(f"cd {folder}; {WHYRAISE} {torchrun('train.py', folder)}", folder)
    copy = (folder / "copy").read_bytes()
    assert screen.code == 1
    assert screen.output[: len(copy)] == copy
    assert_names_rank_1(screen.output[len(copy) :])


@needs_torch
def test_ctrl_c_ends_a_training_as_it_does_without_us(folder: Path) -> None:
    typed = [Typed(b"ready\nready", b"\x03")]
    direct = at_terminal(torchrun("waits.py", folder), folder, typed)
    screen = at_terminal(f"{WHYRAISE} {torchrun('waits.py', folder)}", folder, typed)
    copy = (folder / "copy").read_bytes()
    assert screen.code == direct.code != 0
    assert screen.output[: len(copy)] == copy
    assert b"SignalException" in copy or b"KeyboardInterrupt" in copy


def at_terminal(command: str, folder: Path, typed: list[Typed] | None = None) -> Screen:
    with Terminal(converts=False) as terminal:
        return terminal.run(["bash", "-c", command], environment(folder), typed or [])


def assert_names_rank_1(stderr: bytes) -> None:
    lines = stderr.decode().splitlines()
    assert lines[0].startswith(HINT)
    assert lines[1] == "  on rank 1 at train.py:8"
    assert RECORD in lines[-1]


SUMMARY = """
Root Cause (first observed failure):
[1]:
  time      : 2026-12-02_16:09:34
  host      : localhost
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 32109)
"""
OTHER_TRACEBACK = """Traceback (most recent call last):
  File "/home/user/train.py", line 9, in <module>
    model = torch.nn.parallel.DistributedDataParallel(model)
  File "/usr/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", line 904, in __init__
    self._log_and_throw(
  File "/usr/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", line 1350, in _log_and_throw
    raise err_type(err_msg)
RuntimeError: DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.
"""


@pytest.mark.parametrize("root", [0, 1])
def test_the_first_failing_ranks_error_comes_first(root: int, bundled: Catalog) -> None:
    other = "".join(f"[rank0]: {line}\n" for line in OTHER_TRACEBACK.splitlines())
    text = other + "".join(f"[rank1]: {line}\n" for line in TRACEBACK.splitlines())
    text += SUMMARY.replace("rank      : 1", f"rank      : {root}")
    explanation = root_cause_first(explain(text, bundled), text)
    ranks = [{occurrence.rank for occurrence in finding.occurrences} for finding in explanation.findings]
    assert ranks == [{root}, {1 - root}]


def test_an_unknown_error_of_the_first_failing_rank_is_reported(bundled: Catalog) -> None:
    text = "[rank1]: ValueError: never seen before\n" + "".join(
        f"[rank0]: {line}\n" for line in OTHER_TRACEBACK.splitlines()
    )
    hint = summary.explanation(root_cause_first(explain(text + SUMMARY, bundled), text + SUMMARY))
    assert hint.endswith("\n  torchrun reports that rank 1 failed first; no record explains its error.\n")


def test_a_message_without_a_rank_belongs_to_the_first_failing_rank(bundled: Catalog) -> None:
    [finding] = root_cause_first(explain(TRACEBACK + SUMMARY, bundled), TRACEBACK + SUMMARY).findings
    assert [occurrence.rank for occurrence in finding.occurrences] == [1]
