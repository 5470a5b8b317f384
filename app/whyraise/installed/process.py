"""The process that mines into the cache, which goes on when the one that started it ends."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Sequence

LOCK = "grow.lock"


def start(targets: Sequence[str], cache: str) -> int:
    """Mine targets in a process of their own; return its number."""
    # -P: the folder that somebody stands in is not searched for modules.
    command = [sys.executable, "-P", "-m", "whyraise", "grow", *targets]
    silent = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": cache}
    return os.posix_spawn(sys.executable, command, environment, file_actions=silent, setsid=True)


def is_growing(cache: str) -> bool:
    """Say whether a process is mining for this cache."""
    try:
        with open(os.path.join(cache, LOCK), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
