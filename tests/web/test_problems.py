"""Errors become problem documents."""

from __future__ import annotations

from fastapi import FastAPI

from tests.support.http import problem_of, serve
from whyraise.errors import Busy, WhyraiseError
from whyraise.web import problems


def test_every_error_of_ours_has_a_status() -> None:
    assert set(WhyraiseError.__subclasses__()) == set(problems.STATUSES)


def test_a_busy_service_answers_when_to_try_again() -> None:
    app = FastAPI()
    problems.install(app)

    @app.get("/")
    def busy() -> None:
        raise Busy("Too much is waiting.")

    response = serve(app).get("/")
    assert (problem_of(response), response.headers["retry-after"]) == ((503, "Too much is waiting."), "5")
