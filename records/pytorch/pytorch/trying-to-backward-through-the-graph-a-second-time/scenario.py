"""A recurrent cell over several batches, in one process; its state is carried from batch to batch."""

import copy

import torch

RANKS = 1
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch"]
LIMIT = 20
STEPS = 3


def world(names):
    torch.manual_seed(1)
    cell = torch.nn.RNNCell(3, 2)
    batches = torch.rand(STEPS, 4, 3)
    return {"torch": torch, "cell": cell, "alone": copy.deepcopy(cell), "batches": batches, "state": None}


def reproduce(names):
    state = torch.zeros(4, 2)
    for batch in names["batches"]:
        state = names["cell"](batch, state)
        state.sum().backward()


def check(names):
    """The state went through all batches, and the gradients are those of the steps, each taken by itself."""
    cell, alone, batches = names["cell"], names["alone"], names["batches"]
    assert names["state"] is not None, "there is no state"
    before = [torch.zeros(4, 2)]
    with torch.no_grad():
        for batch in batches:
            before.append(alone(batch, before[-1]))
    assert torch.allclose(names["state"], before[-1]), "the state did not go through all batches"
    sum(alone(batch, state).sum() for batch, state in zip(batches, before, strict=False)).backward()
    for found, wanted in zip(cell.parameters(), alone.parameters(), strict=True):
        assert found.grad is not None, "a parameter got no gradient"
        assert torch.allclose(found.grad, wanted.grad, atol=1e-6), "the gradients are not those of the steps"
