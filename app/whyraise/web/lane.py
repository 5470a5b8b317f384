"""A lane of their own for large pastes: one at a time, a short queue, and small ones never wait for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from whyraise.errors import Busy


class Lane:
    """Lets one large paste through at a time, and `queue` more wait."""

    def __init__(self, large_bytes: int, queue: int) -> None:
        self._large = large_bytes
        self._places = threading.BoundedSemaphore(queue + 1)
        self._one = threading.Lock()

    def enter(self, size: int) -> AbstractContextManager[None]:
        """Wait for the lane if a paste of that many characters needs it; raise `Busy` where the queue is full."""
        return self._large_one() if size > self._large else nullcontext()

    @contextmanager
    def _large_one(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise Busy(
                "Too many large pastes are waiting. Try again in a few seconds, or send the part around the error."
            )
        try:
            with self._one:
                yield
        finally:
            self._places.release()
