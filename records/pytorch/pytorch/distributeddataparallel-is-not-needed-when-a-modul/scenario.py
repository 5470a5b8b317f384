"""One process in a process group of its own: a frozen encoder, and a head that learns."""

import copy

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

RANKS = 1
LIBRARIES = {"torch": "2.13"}
# DDP imports `torch._dynamo` when it is first used, which takes seconds and wraps `torch.manual_seed`.
IMPORTS = ["torch", "torch.nn.parallel", "torch._dynamo"]
LIMIT = 20


def world(names):
    if not dist.is_initialized():
        dist.init_process_group("gloo")
    torch.manual_seed(1)
    encoder, head = torch.nn.Linear(3, 2).requires_grad_(False), torch.nn.Linear(2, 1)
    batch = torch.ones(4, 3)
    return {
        "DistributedDataParallel": DistributedDataParallel,
        "encoder": encoder,
        "head": head,
        "batch": batch,
        "alone": copy.deepcopy(head),
        "module": None,
    }


def reproduce(names):
    DistributedDataParallel(names["encoder"])


def check(names):
    """The head is wrapped, learns, and gets the gradients that it has without DDP."""
    head, alone = names["head"], names["alone"]
    assert isinstance(head, DistributedDataParallel), "the head is not wrapped"
    alone(names["encoder"](names["batch"])).sum().backward()
    for wrapped, plain in zip(head.parameters(), alone.parameters(), strict=True):
        assert wrapped.grad is not None, "the head got no gradient"
        assert torch.allclose(wrapped.grad, plain.grad), "the gradients are others than without DDP"


def bad_frozen(names):
    names["module"] = names["encoder"]


def good_trainable(names):
    names["module"] = names["head"]


def use_validationCode(names):
    _use(names, names["module"])


def use_typeGuard(names):
    _use(names, names["wrapped_if_it_learns"](names["module"]))


def _use(names, module):
    if any(p.requires_grad for p in module.parameters()):
        names["head"] = module
        module(names["encoder"](names["batch"])).sum().backward()
    else:
        module(names["batch"])
