"""A Fabric that spawns its two ranks itself, so the scenario has one process."""

from pathlib import Path

import torch
from lightning.fabric import Fabric

RANKS = 1
LIBRARIES = {"torch": "2.13", "lightning": "2.6"}
IMPORTS = ["torch", "lightning.fabric"]
LIMIT = 60
LAUNCHED = False


def world(names):
    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp_spawn")
    return {"fabric": fabric, "train": train}


def train(fabric):
    torch.manual_seed(1)
    model = fabric.setup(torch.nn.Linear(3, 1))
    fabric.backward(model(torch.full((2, 3), 1.0 + fabric.global_rank)).sum())
    torch.save(model.weight.grad, f"gradient-{fabric.global_rank}.pt")


def reproduce(names):
    train(names["fabric"])


def check(names):
    """Both ranks trained, and each has the mean of the two gradients, 2 and 4."""
    found = sorted(path.name for path in Path().glob("gradient-*.pt"))
    assert found == ["gradient-0.pt", "gradient-1.pt"], f"the ranks wrote {found}"
    for name in found:
        assert torch.equal(torch.load(name), torch.full((1, 3), 3.0)), f"{name} is not the mean over both ranks"
