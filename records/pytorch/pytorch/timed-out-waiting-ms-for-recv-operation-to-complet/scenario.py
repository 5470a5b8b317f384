"""Two ranks, of which one alone calls a collective; it would wait for the other for the group's timeout."""

from datetime import timedelta

import torch
import torch.distributed as dist

RANKS = 2
RAISES_ON = (0,)
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch", "torch.distributed"]
LIMIT = 20


def world(names):
    if not dist.is_initialized():
        dist.init_process_group("gloo", timeout=timedelta(seconds=1))
    return {"dist": dist, "rank": dist.get_rank(), "loss": torch.tensor(1.0 + dist.get_rank())}


def reproduce(names):
    if dist.get_rank() == 0:
        dist.all_reduce(names["loss"])


def check(names):
    """Every rank has the sum over all ranks."""
    size = dist.get_world_size()
    assert names["loss"].item() == size * (size + 1) / 2, f"rank {dist.get_rank()} has {names['loss'].item()}"
