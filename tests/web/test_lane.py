"""Large pastes wait for each other."""

from __future__ import annotations

import threading

import pytest

from whyraise.errors import Busy
from whyraise.web.lane import Lane


def test_large_pastes_wait_for_each_other_and_small_ones_do_not() -> None:
    lane, inside, leave = Lane(large_bytes=10, queue=0), threading.Event(), threading.Event()

    def large() -> None:
        with lane.enter(11):
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=large)
    thread.start()
    assert inside.wait(10)
    with lane.enter(10):
        pass
    with pytest.raises(Busy), lane.enter(11):
        pass
    leave.set()
    thread.join()
    with lane.enter(11):
        pass
