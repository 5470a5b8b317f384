"""Two ranks train a model of which one layer never reaches the loss."""

import copy

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

RANKS = 2
LIBRARIES = {"torch": "2.13"}
# DDP imports `torch._dynamo` when it is first used, which takes seconds and wraps `torch.manual_seed`.
IMPORTS = ["torch", "torch.nn.parallel", "torch._dynamo"]
LIMIT = 20
STEPS = 3


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)

    def forward(self, batch):
        return self.used(batch)


def world(names):
    if not dist.is_initialized():
        dist.init_process_group("gloo")
    torch.manual_seed(1)
    model = Model()
    return {
        "DistributedDataParallel": DistributedDataParallel,
        "model": model,
        "alone": copy.deepcopy(model),
        "batches": _batches(dist.get_rank()),
    }


def reproduce(names):
    ddp = DistributedDataParallel(names["model"])
    for batch in names["batches"]:
        ddp(batch).sum().backward()


def check(names):
    """Every rank has the gradients of one process over the batches of all ranks; the unused layer has none."""
    model, alone, size = names["model"], names["alone"], dist.get_world_size()
    assert model.used.weight.grad is not None, "nothing was trained"
    for rank in range(size):
        for batch in _batches(rank):
            (alone(batch).sum() / size).backward()
    assert torch.allclose(model.used.weight.grad, alone.used.weight.grad), "not the gradients of one process"
    assert model.unused.weight.grad is None, "the unused layer got a gradient"


def _batches(rank):
    return [torch.full((2, 3), 1.0 + rank * 10 + step) for step in range(STEPS)]
