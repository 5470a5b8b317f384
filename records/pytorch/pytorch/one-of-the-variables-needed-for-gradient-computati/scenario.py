"""Attention weights, normalised by hand, in one process."""

import torch

RANKS = 1
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch"]
LIMIT = 20


def world(names):
    torch.manual_seed(1)
    return {"torch": torch, "scores": torch.rand(2, 3, requires_grad=True), "values": torch.rand(2, 3), "weights": None}


def reproduce(names):
    weights = names["scores"].exp()
    weights /= weights.sum(-1, keepdim=True)
    (weights * names["values"]).sum().backward()


def check(names):
    """The weights are those of softmax, and so is the gradient of the scores."""
    scores, weights = names["scores"], names["weights"]
    assert weights is not None, "there are no weights"
    other = scores.detach().clone().requires_grad_()
    wanted = other.softmax(-1)
    (wanted * names["values"]).sum().backward()
    assert torch.allclose(weights, wanted), "the weights are not those of softmax"
    assert scores.grad is not None, "the scores got no gradient"
    assert torch.allclose(scores.grad, other.grad, atol=1e-6), "the gradient is not that of softmax"
