"""Two ranks, each with a head for every task in its own share of the data; rank 0 has a task more."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

RANKS = 2
LIBRARIES = {"torch": "2.13"}
# DDP imports `torch._dynamo` when it is first used, which takes seconds and wraps `torch.manual_seed`.
IMPORTS = ["torch", "torch.nn.parallel", "torch._dynamo"]
LIMIT = 20


class Heads(torch.nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.heads = torch.nn.ModuleDict({task: torch.nn.Linear(3, 1) for task in tasks})

    def forward(self, batch):
        return sum(head(batch) for head in self.heads.values())


def world(names):
    if not dist.is_initialized():
        dist.init_process_group("gloo")
    return {
        "DistributedDataParallel": DistributedDataParallel,
        "Heads": Heads,
        "dist": dist,
        "tasks": _tasks(dist.get_rank()),
        "batch": _batch(dist.get_rank()),
        "model": None,
        "ddp": None,
    }


def reproduce(names):
    DistributedDataParallel(Heads(names["tasks"]))


def check(names):
    """Every rank has a head for every task, with the gradients of one process over the batches of all ranks."""
    model, size = names["model"], dist.get_world_size()
    assert isinstance(names["ddp"], DistributedDataParallel), "nothing was wrapped"
    wanted = {task for rank in range(size) for task in _tasks(rank)}
    assert set(model.heads) == wanted, f"rank {dist.get_rank()} has heads for {sorted(model.heads)}"
    mean = torch.stack([_batch(rank).sum(0) for rank in range(size)]).mean(0)
    for task, head in model.heads.items():
        assert head.weight.grad is not None, f"the head for {task} got no gradient"
        assert torch.allclose(head.weight.grad[0], mean), f"the head for {task} has not the mean over all ranks"


def bad_tasks(names):
    names["model"] = Heads(names["tasks"])


def bad_frozen(names):
    names["model"] = Heads(_tasks(0))
    if dist.get_rank() == 0:
        names["model"].heads["depth"].requires_grad_(False)


def good_same(names):
    names["model"] = Heads(_tasks(0))


def use_typeGuard(names):
    if names["same_everywhere"](names["model"]):
        names["ddp"] = DistributedDataParallel(names["model"])
        names["ddp"](names["batch"]).sum().backward()


def _tasks(rank):
    return ["depth", "edges"] if rank == 0 else ["depth"]


def _batch(rank):
    return torch.full((2, 3), 1.0 + rank * 10)
