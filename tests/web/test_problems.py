"""Errors become problem documents."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from fastapi import FastAPI

from tests.support.http import SECRET, problem_of, serve
from whyraise.errors import Busy, WhyraiseError
from whyraise.web import problems
from whyraise.web.problems import Guard


def test_every_error_of_ours_has_a_status() -> None:
    assert set(WhyraiseError.__subclasses__()) == set(problems.STATUSES)


def test_a_crash_is_a_problem_and_neither_answer_nor_log_holds_the_paste(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError(SECRET)

    with caplog.at_level(logging.ERROR):
        response = serve(Guard(broken, 10)).get("/")
    assert problem_of(response) == (500, "The service failed on this request. Nothing of it was stored.")
    assert "RuntimeError at broken:" in caplog.text
    assert SECRET not in caplog.text


def test_a_busy_service_answers_when_to_try_again() -> None:
    app = FastAPI()
    problems.install(app)

    @app.get("/")
    def busy() -> None:
        raise Busy("Too much is waiting.")

    response = serve(app).get("/")
    assert (problem_of(response), response.headers["retry-after"]) == ((503, "Too much is waiting."), "5")
