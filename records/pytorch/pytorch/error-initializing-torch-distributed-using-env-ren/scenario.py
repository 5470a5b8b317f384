"""A training script, started by hand and by torchrun; torchrun starts its ranks itself, so the scenario has one."""

import runpy
from pathlib import Path

import torch.distributed.run

RANKS = 1
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch", "torch.distributed.run"]
LIMIT = 60
LAUNCHED = False
SCRIPT = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor(dist.get_rank() + 1.0)
dist.all_reduce(total)
with open(f"sum-of-rank-{dist.get_rank()}", "w") as file:
    file.write(str(total.item()))
dist.destroy_process_group()
"""


def world(names):
    Path("train.py").write_text(SCRIPT)
    return {"runpy": runpy, "torch": torch}


def reproduce(names):
    runpy.run_path("train.py", run_name="__main__")


def check(names):
    """Two ranks ran the script, and each has the sum over both."""
    found = {path.name: path.read_text() for path in Path().glob("sum-of-rank-*")}
    assert found == {"sum-of-rank-0": "3.0", "sum-of-rank-1": "3.0"}, f"the ranks wrote {found}"
