"""Two ranks train a model that calls one checkpointed layer twice."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

RANKS = 2
LIBRARIES = {"torch": "2.13"}
# DDP imports `torch._dynamo` when it is first used, which takes seconds and wraps `torch.manual_seed`.
IMPORTS = ["torch", "torch.nn.parallel", "torch.utils.checkpoint", "torch._dynamo"]
LIMIT = 30


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.stem, self.block, self.head = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)


class Checkpointed(Layers):
    def forward(self, batch):
        hidden = self.stem(batch)
        for _ in range(2):
            hidden = checkpoint(self.block, hidden, use_reentrant=True)
        return self.head(hidden)


def world(names):
    if not dist.is_initialized():
        dist.init_process_group("gloo")
    return {
        "DistributedDataParallel": DistributedDataParallel,
        "Layers": Layers,
        "checkpoint": checkpoint,
        "batch": _batch(dist.get_rank()),
        "ddp": None,
    }


def reproduce(names):
    ddp = DistributedDataParallel(Checkpointed())  # with a name: DDP averages nothing once it is gone
    ddp(names["batch"]).sum().backward()


def check(names):
    """Every rank has the gradients of one process, without checkpoints, over the batches of all ranks."""
    ddp, alone, size = names["ddp"], Layers(), dist.get_world_size()
    assert isinstance(ddp, DistributedDataParallel), "nothing was wrapped"
    for rank in range(size):
        hidden = alone.block(alone.block(alone.stem(_batch(rank))))
        (alone.head(hidden).sum() / size).backward()
    for found, wanted in zip(ddp.module.parameters(), alone.parameters(), strict=True):
        assert found.grad is not None, "a parameter got no gradient"
        assert torch.allclose(found.grad, wanted.grad, atol=1e-5), "not the gradients of one process"


def _batch(rank):
    return torch.full((2, 3), 1.0 + rank)
