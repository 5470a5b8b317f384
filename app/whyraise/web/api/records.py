"""`GET /v1/records`: get a record by id or slug, filter and search the records."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request, Response

from whyraise.errors import NotFound
from whyraise.reporters import json
from whyraise.web.api import models
from whyraise.web.problems import RESPONSES
from whyraise.web.responses import json_response, record_response
from whyraise.web.service import ServiceDep

router = APIRouter(prefix="/v1/records", tags=["records"], responses=RESPONSES)

_RECORD: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/markdown": {"schema": {"type": "string"}}}, "description": "The record."},
    304: {"description": "The client's cached copy is current."},
}


# A cursor is the last id of the previous page, in hexadecimal so that nobody mistakes it for an id.
Cursor = Annotated[
    str, Query(pattern="^([0-9a-f]{2})*$", max_length=400, description="The value of `next` on the previous page.")
]
RecordId = Annotated[str, Path(examples=["75efde825de8eed0"])]
Owner = Annotated[str, Path(examples=["Lightning-AI"])]
Repo = Annotated[str, Path(examples=["pytorch-lightning"])]
Slug = Annotated[str, Path(examples=["blocking-backward-sync-is-only-possible-if-the-mod"])]

# Each query parameter that filters the list, and its description in the contract.
_FILTERS = {
    "repo": "Records of this repository.",
    "tag": "Records with this tag.",
    "errorClass": "Records of errors of this class.",
    "severity": "Records of this severity.",
    "origin": "Records of this origin: curated, published or mined.",
    "dataset": "Records of this data set.",
    "proof": "Records whose proof has this verdict: proven, corrected, broken, notReproduced or unproven.",
}
_FILTER_PARAMETERS = {
    "parameters": [
        {"name": name, "in": "query", "required": False, "schema": {"type": "string"}, "description": description}
        for name, description in _FILTERS.items()
    ]
}


@router.get("", operation_id="listRecords", response_model=models.Records, openapi_extra=_FILTER_PARAMETERS)
def list_records(
    request: Request,
    service: ServiceDep,
    q: Annotated[str, Query(max_length=1000, description="Words that must all occur in the record.")] = "",
    cursor: Cursor = "",
    limit: Annotated[int, Query(ge=1, le=200, description="The largest number of records on a page.")] = 50,
) -> Response:
    """List records in the order of their ids, page by page."""
    filters = {name: request.query_params[name] for name in _FILTERS if name in request.query_params}
    page = service.catalog.list_records(filters, q, bytes.fromhex(cursor).decode("utf-8", "replace"), limit)
    next_cursor = page.after.encode().hex() or None
    headers = {}
    if next_cursor:
        query = urlencode({**filters, **({"q": q} if q else {}), "limit": limit, "cursor": next_cursor})
        headers["Link"] = f'</v1/records?{query}>; rel="next"'
    return json_response(
        {"records": [json.record(record) for record in page.records], "next": next_cursor}, headers=headers
    )


@router.get("/{record_id}", operation_id="getRecord", response_model=models.RecordAnswer, responses=_RECORD)
def get_record(request: Request, service: ServiceDep, record_id: RecordId) -> Response:
    """Return a record as it was published, with its data set, origin and links."""
    return record_response(request, service.catalog.digest, service.knowledge.record_of(record_id))


@router.get(
    "/{owner}/{repo}/{slug}",
    operation_id="getRecordBySlug",
    response_model=models.RecordAnswer,
    responses={**_RECORD, 300: {"model": models.Ids, "description": "Several records share the slug."}},
)
def get_record_by_slug(request: Request, service: ServiceDep, owner: Owner, repo: Repo, slug: Slug) -> Response:
    """Return the record with a repository and slug, or the ids of all records that share the slug."""
    records = service.catalog.records_by_slug(f"{owner}/{repo}", slug)
    if not records:
        raise NotFound("No record has that repository and slug; search with /v1/records?q=words.")
    if len(records) > 1:
        links = ", ".join(f'</v1/records/{record.id}>; rel="alternate"' for record in records)
        return json_response({"ids": [record.id for record in records]}, status=300, headers={"Link": links})
    return record_response(request, service.catalog.digest, records[0])
