"""`/`: paste and explain. It works without JavaScript; with it, the answer comes without the page being loaded anew."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Query, Request, Response

from whyraise.errors import BadInput, Busy
from whyraise.reporters import markdown
from whyraise.web.pages import answer_view, examples, record_view, redact
from whyraise.web.pages.answer_view import Shown
from whyraise.web.pages.rendering import render
from whyraise.web.problems import WrongMediaType
from whyraise.web.service import Service, ServiceDep

router = APIRouter(include_in_schema=False)
_FIELDS, _FORM = 10, "application/x-www-form-urlencoded"


async def _body(request: Request) -> bytes:
    return await request.body()


def _sent_text(request: Request, body: Annotated[bytes, Depends(_body)]) -> str:
    """Read the paste that a script sent as plain text, or a form, in which browsers end lines as HTTP does."""
    kind = request.headers.get("content-type", _FORM)
    if kind.startswith("text/plain"):
        return body.decode("utf-8", "replace")
    if not kind.startswith(_FORM):
        raise WrongMediaType(
            f"The text cannot be read. Send it as the field `text` of a form ({_FORM}), or as text/plain."
        )
    try:
        fields = parse_qs(body.decode("ascii", "replace"), True, errors="replace", max_num_fields=_FIELDS)
    except ValueError as error:
        raise BadInput("The form has more fields than it should.") from error
    return fields.get("text", [""])[0].replace("\r\n", "\n")


def warm(service: Service) -> None:
    """Answer an example, so that what is loaded and compiled on first use is there before the first person asks."""
    text = examples.text_of(examples.EXAMPLES[0].name)
    _page(service, text, _shown(service, text))


@router.get("/")
def ask(service: ServiceDep, example: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show the field to paste into; with the name of an example, that text and its answer."""
    text = examples.text_of(example) if example else ""
    return _page(service, text, _shown(service, text))


@router.post("/")
def ask_with_form(service: ServiceDep, text: Annotated[str, Depends(_sent_text)]) -> Response:
    """Answer a paste that a form sent, with the whole page."""
    try:
        return _page(service, text, _shown(service, text))
    except Busy as error:  # the paste stays on the page
        return _page(service, text, None, str(error))


@router.post("/answer")
def answer_alone(service: ServiceDep, text: Annotated[str, Depends(_sent_text)]) -> Response:
    """Answer a paste with the part of the page that holds the answer."""
    return render(
        "answer.html", answer=_shown(service, _some(text)), hints=markdown.HINTS, report_url=_report_url(service)
    )


@router.post("/draft")
def draft(service: ServiceDep, text: Annotated[str, Depends(_sent_text)]) -> Response:
    """Return the draft of a record for a paste, as a folder to download."""
    with service.lane.enter(len(text)):
        packed = answer_view.draft(_some(text), service.catalog)
    headers = {"Content-Disposition": 'attachment; filename="record-draft.zip"', "Cache-Control": "no-store"}
    return Response(packed, media_type="application/zip", headers=headers)


def _some(text: str) -> str:
    if not text.strip():
        raise BadInput("There is no text to explain. Paste an error first.")
    return text


def _shown(service: Service, text: str) -> Shown | None:
    if not text.strip():
        return None
    with service.lane.enter(len(text)):
        return answer_view.show(text, service.catalog, service.settings.max_findings)


def _page(service: Service, text: str, answer: Shown | None, problem: str = "") -> Response:
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
        records=sum(each.records for each in service.catalog.datasets),
        limit=service.settings.max_body_bytes,
    )


def _report_url(service: Service) -> str:
    return record_view.web_address(service.settings.report_url)
