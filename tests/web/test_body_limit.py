"""The middleware around the API."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.support.http import SECRET, problem_of, serve
from whyraise.web.body_limit import Guard


def test_a_crash_is_a_problem_and_neither_answer_nor_log_holds_the_paste(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError(SECRET)

    with caplog.at_level(logging.ERROR):
        response = serve(Guard(broken, 10)).get("/")
    assert problem_of(response) == (500, "The service failed on this request. Nothing of it was stored.")
    assert "RuntimeError at broken:" in caplog.text
    assert SECRET not in caplog.text
