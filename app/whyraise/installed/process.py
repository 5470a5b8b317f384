"""The background process that mines into the cache. It continues when the process that started it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

# The file in the cache that is locked while a process mines.
LOCK_FILE = "grow.lock"
# The processes that nobody waits for.
_started: list[int] = []


def start(targets: Sequence[str], cache: str) -> int:
    """Start a process that mines targets into the cache; return its process id."""
    # -P: modules in the current folder are not imported.
    command = [sys.executable, "-P", "-m", "whyraise", "grow", *targets]
    no_streams = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": cache}
    return os.posix_spawn(sys.executable, command, environment, file_actions=no_streams, setsid=True)


def start_and_forget(targets: Sequence[str], cache: str) -> None:
    """Start a process that mines targets, for callers that do not wait for it.

    The processes that were started before and have ended are removed from the system's table here.
    """
    _started[:] = [process_id for process_id in _started if _runs(process_id)]
    _started.append(start(targets, cache))


def _runs(process_id: int) -> bool:
    try:
        return os.waitpid(process_id, os.WNOHANG) == (0, 0)
    except ChildProcessError:  # somebody else has waited for it
        return False


def is_mining(cache: str) -> bool:
    """Return whether a process is mining into this cache.

    `filelock` could tell too. Lookups ask this, and importing it takes three times as long as a bare Python start, so
    only systems without `fcntl` use it here.
    """
    path = os.path.join(cache, LOCK_FILE)
    try:
        import fcntl  # noqa: PLC0415  # Windows lacks it
    except ImportError:
        return os.path.exists(path) and _is_locked(path)
    try:
        with open(path, "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _is_locked(path: str) -> bool:
    from filelock import FileLock, Timeout  # noqa: PLC0415  # only systems without `fcntl`

    try:
        with FileLock(path, blocking=False):
            return False
    except Timeout:
        return True
