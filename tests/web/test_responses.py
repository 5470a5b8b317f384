"""Content negotiation."""

from __future__ import annotations

import pytest

from whyraise.web.responses import preferred


@pytest.mark.parametrize(
    ("accept", "best"),
    [("", "a/x"), ("b/y", "b/y"), ("a/*;q=0.2, b/y;q=0.3", "b/y"), ("*/*;q=0.1, a/x;q=0", "b/y"), ("b/y;q=x", "a/x")],
)
def test_the_most_specific_range_decides(accept: str, best: str) -> None:
    assert preferred(accept, ["a/x", "b/y"]) == best
