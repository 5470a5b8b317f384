"""Two ranks that compare every collective before it runs, and whose last batches are of different lengths."""

import torch
import torch.distributed as dist

RANKS = 2
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch", "torch.distributed"]
LIMIT = 20


def world(names):
    if not dist.is_initialized():
        dist.set_debug_level(dist.DebugLevel.DETAIL)  # what TORCH_DISTRIBUTED_DEBUG sets when torch is imported
        dist.init_process_group("gloo")
    return {"torch": torch, "dist": dist, "scores": _scores(dist.get_rank()), "everyone": None}


def reproduce(names):
    everyone = [torch.empty_like(names["scores"]) for _ in range(dist.get_world_size())]
    dist.all_gather(everyone, names["scores"])


def check(names):
    """Every rank has the scores of all ranks, each whole and nothing beside them."""
    everyone = names["everyone"]
    assert everyone is not None, "nothing was gathered"
    for rank, scores in enumerate(everyone):
        assert torch.equal(scores, _scores(rank)), f"rank {dist.get_rank()} has {scores.tolist()} of rank {rank}"
    assert len(everyone) == dist.get_world_size(), f"{len(everyone)} ranks were gathered"


def _scores(rank):
    return torch.arange(8.0 - rank) + 10 * rank
