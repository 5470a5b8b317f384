"""A linear model and two batches, in one process; the loss is the mean over both."""

import copy
import warnings

import torch

RANKS = 1
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch"]
LIMIT = 20


def world(names):
    warnings.simplefilter("ignore")  # torch warns of what is done wrong here
    torch.manual_seed(1)
    model = torch.nn.Linear(3, 1)
    return {
        "torch": torch,
        "criterion": torch.nn.MSELoss(),
        "model": model,
        "alone": copy.deepcopy(model),
        "batches": [(torch.rand(4, 3), torch.rand(4, 1)) for _ in range(2)],
        "loss": None,
    }


def reproduce(names):
    torch.tensor(_losses(names, names["model"])).mean().backward()


def check(names):
    """The gradients are those of both batches taken as one, and the loss is theirs."""
    model, alone = names["model"], names["alone"]
    batch, target = (torch.cat(each) for each in zip(*names["batches"], strict=True))
    wanted = names["criterion"](alone(batch), target)
    wanted.backward()
    assert names["loss"] is not None, "there is no loss"
    assert torch.allclose(names["loss"], wanted), "not the loss over both batches"
    for found, other in zip(model.parameters(), alone.parameters(), strict=True):
        assert found.grad is not None, "a parameter got no gradient"
        assert torch.allclose(found.grad, other.grad, atol=1e-6), "not the gradients over both batches"


def bad_numbers(names):
    names["loss"] = torch.tensor(_losses(names, names["model"])).mean()


def bad_no_grad(names):
    with torch.no_grad():
        names["loss"] = torch.stack(_losses(names, names["model"])).mean()


def good_stacked(names):
    names["loss"] = torch.stack(_losses(names, names["model"])).mean()


def use_typeGuard(names):
    if names["learns"](names["loss"]):
        names["loss"].backward()


def _losses(names, model):
    return [names["criterion"](model(batch), target) for batch, target in names["batches"]]
