"""`whyraise run -- torchrun`: a training that fails on one rank of two, through pipes and at a terminal."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminal import Shown, Terminal, Typed

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("torch"), reason="torch is not installed: make .venv/prove"
)

# DistributedDataParallel refuses on rank 1 alone; rank 0 waits for it.
TRAIN = """
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
print("rank", rank, "is here", flush=True)
if rank == 1:
    torch.nn.parallel.DistributedDataParallel(torch.nn.ReLU())
dist.barrier()
"""
WAITS = """
import os, time
os.write(1, b"ready\\n")
time.sleep(60)
"""
WHYRAISE = f"{sys.executable} -m whyraise run --"
KNOWN = "whyraise: exact: DistributedDataParallel is not needed when a module doesn't have any parameter"
RECORD = "615c77e2f0521c45"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN, "utf-8")
    (tmp_path / "waits.py").write_text(WAITS, "utf-8")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "WHYRAISE_CACHE_DIR": str(folder / "cache"), "WHYRAISE_MINE": "off", "OMP_NUM_THREADS": "1"}


def torchrun(script: str, folder: Path) -> str:
    """Return a command whose output is torchrun's, which it writes to the file `copy` too, and whose exit code is."""
    # torchrun and its ranks share one pipe, as they would share a terminal; `tee` lives on after Ctrl-C to the end.
    line = f"{sys.executable} -m torch.distributed.run --nproc-per-node 2 {folder / script} 2>&1 | tee -i {folder}/copy"
    return f"bash -c 'set -o pipefail; {line}'"


def test_the_finding_names_the_rank_that_failed_and_all_else_is_torchruns(folder: Path) -> None:
    command = ["bash", "-c", f"{WHYRAISE} {torchrun('train.py', folder)}"]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, timeout=100, check=False)
    assert done.returncode == 1
    assert done.stdout == (folder / "copy").read_bytes()
    assert_names_rank_1(done.stderr)


def test_the_same_holds_at_a_terminal(folder: Path) -> None:
    shown = at_terminal(f"cd {folder}; {WHYRAISE} {torchrun('train.py', folder)}", folder)
    copy = (folder / "copy").read_bytes()
    assert shown.code == 1
    assert shown.output[: len(copy)] == copy
    assert_names_rank_1(shown.output[len(copy) :])


def test_ctrl_c_ends_a_training_as_it_does_without_us(folder: Path) -> None:
    typed = [Typed(b"ready\nready", b"\x03")]
    direct = at_terminal(torchrun("waits.py", folder), folder, typed)
    shown = at_terminal(f"{WHYRAISE} {torchrun('waits.py', folder)}", folder, typed)
    copy = (folder / "copy").read_bytes()
    assert shown.code == direct.code != 0
    assert shown.output[: len(copy)] == copy
    assert b"SignalException" in copy or b"KeyboardInterrupt" in copy


def at_terminal(command: str, folder: Path, typed: list[Typed] | None = None) -> Shown:
    with Terminal(converts=False) as terminal:
        return terminal.run(["bash", "-c", command], environment(folder), typed or [])


def assert_names_rank_1(said: bytes) -> None:
    lines = said.decode().splitlines()
    assert lines[0].startswith(KNOWN)
    assert lines[1] == "  on rank 1 at train.py:8"
    assert RECORD in lines[-1]
