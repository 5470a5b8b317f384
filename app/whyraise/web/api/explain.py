"""`POST /v1/explain`, `/v1/explain:batch` and `/v1/diagnose`. Pastes are sent in bodies only, and never stored."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from whyraise.ask.answer import answer
from whyraise.errors import BadInput
from whyraise.lookup.diagnosis import diagnose
from whyraise.reporters import json, markdown
from whyraise.web.api import models
from whyraise.web.problems import RESPONSES, WrongMediaType
from whyraise.web.requests import body_schema, media_type_of, read_json
from whyraise.web.responses import MARKDOWN, json_response, markdown_response, wants_markdown
from whyraise.web.service import ServiceDep

router = APIRouter(prefix="/v1", tags=["lookup"], responses=RESPONSES)

Limit = Annotated[int | None, Query(ge=1, le=100, description="The largest number of findings to return.")]
MinConfidence = Annotated[
    models.Confidence | None, Query(alias="minConfidence", description="Leave out findings of a lower confidence.")
]
Offsets = Annotated[
    Literal["codepoints", "utf16"],
    Query(description="The unit of offsets in spans. JavaScript counts UTF-16 code units."),
]


async def _paste(request: Request) -> str:
    """Read a paste from a JSON body, or from a plain text body such as `curl --data-binary` can send."""
    media_type, body = media_type_of(request), await request.body()
    if media_type == "text/plain":
        return body.decode("utf-8", "replace")
    if media_type != "application/json":
        raise WrongMediaType('Send JSON as {"text": "…"} with `Content-Type: application/json`, or `text/plain`.')
    return read_json(models.Paste, request, body).text


async def _pastes(request: Request) -> models.Pastes:
    return read_json(models.Pastes, request, await request.body())


async def _question(request: Request) -> models.DiagnoseRequest:
    return read_json(models.DiagnoseRequest, request, await request.body())


@router.post(
    "/explain",
    operation_id="explain",
    response_model=models.Explanation,
    responses=MARKDOWN,
    openapi_extra=body_schema(models.Paste, "text/plain"),
)
def explain_paste(  # noqa: PLR0913  # each parameter is a parameter of the request
    request: Request,
    service: ServiceDep,
    text: Annotated[str, Depends(_paste)],
    limit: Limit = None,
    min_confidence: MinConfidence = None,
    offsets: Offsets = "codepoints",
) -> Response:
    """Find the known errors behind a pasted text."""
    with service.lane.enter(len(text)):
        explanation = answer(text, service.knowledge, limit=limit or 0, min_confidence=min_confidence)
        if wants_markdown(request):
            return markdown_response(markdown.explanation(explanation))
        return json_response(json.explanation(explanation, _offset(text, offsets)), headers={"Vary": "Accept"})


@router.post(
    "/explain:batch",
    operation_id="explainBatch",
    response_model=models.Explanations,
    openapi_extra=body_schema(models.Pastes),
)
def explain_pastes(
    service: ServiceDep,
    pastes: Annotated[models.Pastes, Depends(_pastes)],
    limit: Limit = None,
    min_confidence: MinConfidence = None,
    offsets: Offsets = "codepoints",
) -> Response:
    """Find the known errors behind several pasted texts; each text gets its own answer."""
    max_texts = service.settings.max_batch_texts
    if len(pastes.texts) > max_texts:
        raise BadInput(f"/texts has {len(pastes.texts)} texts; the limit is {max_texts}. Send several requests.")
    answers = []
    with service.lane.enter(sum(map(len, pastes.texts))):
        for text in pastes.texts:
            explanation = answer(text, service.knowledge, limit=limit or 0, min_confidence=min_confidence)
            answers.append(json.explanation(explanation, _offset(text, offsets)))
    return json_response({"answers": answers})


@router.post(
    "/diagnose",
    operation_id="diagnose",
    response_model=models.Diagnosis,
    openapi_extra=body_schema(models.DiagnoseRequest),
)
def diagnose_paste(
    service: ServiceDep,
    question: Annotated[models.DiagnoseRequest, Depends(_question)],
    offsets: Offsets = "codepoints",
) -> Response:
    """Return the first difference between a text and a record's message, and what would make them match."""
    with service.lane.enter(len(question.text)):
        diagnosis = diagnose(question.text, *service.knowledge.find(question.id))
    return json_response(json.diagnosis(diagnosis, _offset(question.text, offsets)))


def _offset(text: str, offsets: str) -> json.Offset:
    return json.utf16_units(text) if offsets == "utf16" else json.code_points
