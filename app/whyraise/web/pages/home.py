"""`/`: the page to paste an error into. It works without JavaScript; with it, an answer does not reload the page."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Query, Request, Response

from whyraise.ask import redact
from whyraise.errors import BadInput, Busy
from whyraise.reporters import markdown
from whyraise.web.pages import answer_view, examples, record_view
from whyraise.web.pages.answer_view import AnswerView
from whyraise.web.pages.rendering import render
from whyraise.web.problems import WrongMediaType
from whyraise.web.service import Service, ServiceDep

router = APIRouter(include_in_schema=False)
_MAX_FIELDS, _FORM = 10, "application/x-www-form-urlencoded"


async def _body(request: Request) -> bytes:
    return await request.body()


def _sent_text(request: Request, body: Annotated[bytes, Depends(_body)]) -> str:
    """Read a paste from plain text, as the page's script sends it, or from a form, in which lines end with CRLF."""
    media_type = request.headers.get("content-type", _FORM)
    if media_type.startswith("text/plain"):
        return body.decode("utf-8", "replace")
    if not media_type.startswith(_FORM):
        raise WrongMediaType(
            f"The text cannot be read. Send it as the field `text` of a form ({_FORM}), or as text/plain."
        )
    try:
        fields = parse_qs(body.decode("ascii", "replace"), True, errors="replace", max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise BadInput("The form has more fields than it should.") from error
    return fields.get("text", [""])[0].replace("\r\n", "\n")


def warm_up(service: Service) -> None:
    """Answer an example, so that what is loaded and compiled on first use is ready before the first request."""
    text = examples.text_of(examples.EXAMPLES[0].name)
    _page(service, text, _explain(service, text))


@router.get("/")
def ask(service: ServiceDep, example: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show the page; with the name of an example, its text and answer too."""
    text = examples.text_of(example) if example else ""
    return _page(service, text, _explain(service, text))


@router.post("/")
def ask_with_form(service: ServiceDep, text: Annotated[str, Depends(_sent_text)]) -> Response:
    """Answer a paste that was sent as a form, with the whole page."""
    try:
        return _page(service, text, _explain(service, text))
    except Busy as error:  # the page shows the paste again, so that it is not lost
        return _page(service, text, None, str(error))


@router.post("/answer")
def answer_fragment(service: ServiceDep, text: Annotated[str, Depends(_sent_text)]) -> Response:
    """Answer a paste with only the part of the page that shows the answer."""
    return render(
        "answer.html", answer=_explain(service, _checked(text)), hints=markdown.HINTS, report_url=_report_url(service)
    )


@router.post("/draft")
def draft(service: ServiceDep, text: Annotated[str, Depends(_sent_text)]) -> Response:
    """Return the draft of a record for a paste, as a ZIP file to download."""
    with service.lane.enter(len(text)):
        packed = answer_view.draft(_checked(text), service.knowledge)
    headers = {"Content-Disposition": 'attachment; filename="record-draft.zip"', "Cache-Control": "no-store"}
    return Response(packed, media_type="application/zip", headers=headers)


def _checked(text: str) -> str:
    if not text.strip():
        raise BadInput("There is no text to explain. Paste an error first.")
    return text


def _explain(service: Service, text: str) -> AnswerView | None:
    if not text.strip():
        return None
    with service.lane.enter(len(text)):
        return answer_view.explain_for_page(text, service.knowledge)


def _page(service: Service, text: str, answer: AnswerView | None, problem: str = "") -> Response:
    return render(
        "index.html",
        status=503 if problem else 200,
        problem=problem,
        text=text,
        answer=answer,
        secrets=redact.as_json(),
        hints=markdown.HINTS,
        report_url=_report_url(service),
        examples=examples.EXAMPLES,
        records=sum(dataset.records for dataset in service.catalog.datasets),
        limit=service.settings.max_body_bytes,
    )


def _report_url(service: Service) -> str:
    return record_view.web_address(service.settings.report_url)
