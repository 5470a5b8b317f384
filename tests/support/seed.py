"""The first record's id, message and traceback."""

from __future__ import annotations

SEED = "75efde825de8eed0"


MESSAGE = (
    "Blocking backward sync is only possible if the module passed to `_DDPBackwardSyncControl.no_backward_sync` is"
    " wrapped in `DistributedDataParallel`. Got: torch.nn.Linear."
)


TRACEBACK = f"""Traceback (most recent call last):
  File "/home/user/train.py", line 31, in <module>
    with fabric.strategy._backward_sync_control.no_backward_sync(model, True):
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/home/user/.venv/lib/python3.11/site-packages/lightning/fabric/strategies/ddp.py", line 268, in no_backward_sync
    raise TypeError(
TypeError: {MESSAGE}
"""
