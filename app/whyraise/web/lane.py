"""Limits how many large pastes are processed at once: one at a time, with a short queue; small pastes never wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from whyraise.errors import Busy


class Lane:
    """Lets one paste of more than `large_bytes` through at a time, and `queue` more wait."""

    def __init__(self, large_bytes: int, queue: int) -> None:
        self._large_bytes = large_bytes
        self._places = threading.BoundedSemaphore(queue + 1)
        self._lock = threading.Lock()

    def enter(self, size: int) -> AbstractContextManager[None]:
        """Return a context for a paste of `size` characters, in which a large one waits until it is its turn.

        Entering the context raises `Busy` if the queue is full.
        """
        return self._enter_large() if size > self._large_bytes else nullcontext()

    @contextmanager
    def _enter_large(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise Busy(
                "Too many large pastes are waiting. Try again in a few seconds, or send the part around the error."
            )
        try:
            with self._lock:
                yield
        finally:
            self._places.release()
