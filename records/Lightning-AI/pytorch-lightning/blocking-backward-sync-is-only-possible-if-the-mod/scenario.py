"""Fabric under DDP on CPU: every rank has the same small model and batches of its own.

Fixed means more than "raises nothing": inside `no_backward_sync` the gradients differ across ranks, after the next
synchronised backward they agree, and they are those of one process over all batches of all ranks.
"""

import contextlib
import os

import torch
from lightning.fabric import Fabric

RANKS = 2
LIBRARIES = {"torch": "2.13", "lightning": "2.6"}
IMPORTS = ["torch", "lightning.fabric"]
LIMIT = 20
STEPS = 3


def world(names):
    size = int(os.environ["WORLD_SIZE"])
    raw = _model()
    fabric = Fabric(accelerator="cpu", devices=size, strategy="ddp")
    fabric.launch()
    model = fabric.setup(_model())
    batches = Batches(model, _batches(fabric.global_rank))
    return {
        "fabric": fabric,
        "raw_module": raw,
        "model": model,
        "batches": batches,
        "enabled": True,
        "is_first_batch": True,
        "nullcontext": contextlib.nullcontext,
    }


class Batches:
    """The batches of this rank; before it gives the next one, it keeps the gradients as they are."""

    def __init__(self, model, batches):
        self.model, self.batches, self.seen = model, batches, []

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        for batch in self.batches:
            yield batch
            self.seen.append(_gradients(self.model))


def reproduce(names):
    control = names["fabric"].strategy._backward_sync_control
    with control.no_backward_sync(names["raw_module"], True):
        pass


def check(names):
    """Gradients differ while blocked, agree after the last batch, and equal those of one process over all batches."""
    fabric, seen = names["fabric"], names["batches"].seen
    assert len(seen) == STEPS, f"{len(seen)} of {STEPS} batches were used"
    for gradients in seen[:-1]:
        everyone = _everyone(fabric, gradients)
        assert any(not torch.allclose(everyone[0], one) for one in everyone[1:]), "synchronised while it was blocked"
    everyone = _everyone(fabric, seen[-1])
    assert all(torch.allclose(everyone[0], one) for one in everyone), "not synchronised after the last batch"
    assert torch.allclose(everyone[0], _alone(fabric.world_size)), "not the gradients of one process over all batches"


def bad_raw(names):
    names["module"] = names["raw_module"]


def good_ddp(names):
    names["module"] = names["model"]._forward_module


def good_setup(names):
    names["module"] = names["model"]


def use_typeGuard(names):
    guarded = names["safe_no_backward_sync"]
    _accumulate(names, lambda: guarded(names["fabric"].strategy, names["module"], True))


def use_validationCode(names):
    control = names["fabric"].strategy._backward_sync_control
    _accumulate(names, lambda: control.no_backward_sync(names["module"], names["enabled"]))


def _accumulate(names, blocked):
    last = len(names["batches"]) - 1
    for index, batch in enumerate(names["batches"]):
        with blocked() if index < last else contextlib.nullcontext():
            names["fabric"].backward(names["model"](batch).sum())


def _model():
    torch.manual_seed(1)
    return torch.nn.Linear(3, 1)


def _batches(rank):
    return [torch.full((2, 3), 1.0 + rank * 10 + step) for step in range(STEPS)]


def _gradients(model):
    return torch.cat(
        [p.grad.flatten().clone() if p.grad is not None else p.new_zeros(p.numel()) for p in model.parameters()]
    )


def _everyone(fabric, tensor):
    # Fabric folds what it gathers into one row per rank.
    return list(fabric.all_gather(tensor).reshape(fabric.world_size, -1))


def _alone(size):
    model = _model()
    for rank in range(size):
        for batch in _batches(rank):
            (model(batch).sum() / size).backward()
    return _gradients(model)
