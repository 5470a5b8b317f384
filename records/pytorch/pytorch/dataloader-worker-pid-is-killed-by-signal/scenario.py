"""A training loop and one worker of its data loader, which is killed when it holds more than fits.

The kernel's part is played by `load`: it ends the worker with SIGKILL, as the kernel does where memory runs out. The
loop's part is that it is slower than its worker, which meanwhile reads the next batches.
"""

import multiprocessing
import os
import signal
import time
import weakref

import torch
from torch.utils.data import DataLoader, Dataset

RANKS = 1
LIBRARIES = {"torch": "2.13"}
IMPORTS = ["torch", "torch.utils.data"]
LIMIT = 30
SAMPLES, BATCH, AHEAD = 32, 4, 2
MOST = 10  # samples that a worker may hold
PATIENCE = 20


def world(names):
    return {
        "Dataset": Dataset,
        "DataLoader": DataLoader,
        "load": Loader(),
        "train": Trainer(),
    }


class Loader:
    """Loads samples, and counts those that its process holds and those that were loaded in all processes."""

    loaded = multiprocessing.Value("i", 0)

    def __init__(self):
        self.held = 0
        Loader.loaded.value = 0

    def __call__(self, index):
        sample = torch.full((3,), float(index))
        self.held += 1
        weakref.finalize(sample, self._dropped)
        if self.held > MOST:
            os.kill(os.getpid(), signal.SIGKILL)
        Loader.loaded.value += 1
        return sample

    def _dropped(self):
        self.held -= 1


class Trainer:
    """Takes batches; each takes as long as the worker needs to read ahead as far as it may."""

    def __init__(self):
        self.batches = []

    def __call__(self, batch):
        self.batches.append(batch)
        ahead = min(SAMPLES, BATCH * (len(self.batches) + AHEAD))
        end = time.monotonic() + PATIENCE
        while Loader.loaded.value < ahead and time.monotonic() < end:
            time.sleep(0.01)


class Keeping(Dataset):
    """Samples that are loaded once and then kept."""

    def __init__(self, load):
        self.load, self.seen = load, {}

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        if index not in self.seen:
            self.seen[index] = self.load(index)
        return self.seen[index]


def reproduce(names):
    for batch in DataLoader(Keeping(names["load"]), batch_size=BATCH, num_workers=1):
        names["train"](batch)


def check(names):
    """The loop has seen every sample once and in order, and a worker has loaded each."""
    batches = names["train"].batches
    assert batches, "nothing was trained on"
    seen = torch.cat(batches)[:, 0].tolist()
    assert seen == [float(index) for index in range(SAMPLES)], f"the loop has seen {seen}"
    assert Loader.loaded.value == SAMPLES, f"{Loader.loaded.value} samples were loaded"
    assert names["load"].held == 0, "the samples were loaded without a worker"
