"""A small classifier of images, in one process."""

import torch

RANKS = 1
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch"]
LIMIT = 20


def world(names):
    torch.manual_seed(1)
    return {
        "torch": torch,
        "images": torch.rand(8, 1, 8, 8),
        "model": torch.nn.Linear(64, 10),
        "batch": None,
        "scores": None,
    }


def reproduce(names):
    layers = [torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Linear(4 * 6 * 6, 10)]
    torch.nn.Sequential(*layers)(names["images"])


def check(names):
    """Every image has ten scores, which are those that it gets alone."""
    model, images, scores = names["model"], names["images"], names["scores"]
    assert scores is not None, "there are no scores"
    assert scores.shape == (8, 10), f"the scores are of shape {tuple(scores.shape)}"
    images = images if isinstance(model, torch.nn.Sequential) else images.flatten(1)
    alone = torch.cat([model(image[None]) for image in images])
    assert torch.allclose(scores, alone, atol=1e-6), "an image's scores depend on the images beside it"


def bad_images(names):
    names["batch"] = names["images"]


def bad_size(names):
    names["batch"] = names["images"][..., 1:].flatten(1)


def good_flat(names):
    names["batch"] = names["images"].flatten(1)


def use_typeGuard(names):
    if names["fits"](names["model"], names["batch"]):
        names["scores"] = names["model"](names["batch"])
