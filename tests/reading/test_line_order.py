"""Tracebacks whose lines are in reverse order."""

from tests.support.seed import TRACEBACK
from whyraise.reading.paste import clean


def test_only_a_traceback_in_reverse_order_is_reversed() -> None:
    log = "step 1\nstep 2\n"
    reversed_lines = "".join(reversed(TRACEBACK.splitlines(keepends=True)))
    assert clean(log + reversed_lines + log).text == log + TRACEBACK + log
    assert clean(log + TRACEBACK + log).text == log + TRACEBACK + log
