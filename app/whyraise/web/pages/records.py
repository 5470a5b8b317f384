"""`/e/{id}`, `/records` and `/about`: what is known, to read and to look through."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from whyraise.knowledge import queries
from whyraise.records.record import ORIGINS, Record
from whyraise.web.pages import record_view
from whyraise.web.pages.rendering import look, render
from whyraise.web.responses import fresh, is_known, preferred, representation
from whyraise.web.service import Service, ServiceDep

router = APIRouter(include_in_schema=False)

_KINDS = {"text/html": "html", "text/markdown": "md", "application/json": "json"}
_FILTERS = ("repo", "tag", "errorClass", "origin", "proof")
_ON_A_PAGE, _SEE_ALSO, _MOST_PAGES = 30, 6, 10_000
_MOST_REMARKS = 200


@router.get("/e/{record_id}.json")
def record_as_json(request: Request, service: ServiceDep, record_id: str) -> Response:
    """Return a record as JSON."""
    return _record(request, service, record_id, "json")


@router.get("/e/{record_id}.md")
def record_as_markdown(request: Request, service: ServiceDep, record_id: str) -> Response:
    """Return a record as Markdown."""
    return _record(request, service, record_id, "md")


@router.get("/e/{record_id}")
def record_as_asked(request: Request, service: ServiceDep, record_id: str) -> Response:
    """Return a record as a page, or in the media type that was asked for."""
    accept = request.headers.get("accept", "")
    return _record(request, service, record_id, _KINDS[preferred(accept, list(_KINDS))])


def _record(request: Request, service: Service, record_id: str, kind: str) -> Response:
    record = service.catalog.record_of(record_id)
    digest = service.catalog.digest
    if kind != "html":
        return representation(request, digest, record, kind)
    headers = fresh(f"{digest[:16]}-{record.id}-{look()}")
    if is_known(request, headers):
        return Response(status_code=304, headers=headers)
    response = render(
        "record.html",
        entry=record_view.entry(record),
        example=record_view.example(record),
        also=_see_also(service, record),
    )
    response.headers.update(headers)
    return response


def _see_also(service: Service, record: Record) -> list[record_view.Line]:
    """Return records of the same class in the same repository."""
    filters = {"repo": record.repo, **({"errorClass": record.error_class} if record.error_class else {})}
    found = queries.list_records(service.catalog.connection, filters, limit=_SEE_ALSO + 1).records
    return [record_view.line(each) for each in found if each.id != record.id][:_SEE_ALSO]


@router.get("/records")
def look_through(
    request: Request,
    service: ServiceDep,
    q: Annotated[str, Query(max_length=1000)] = "",
    page: Annotated[int, Query(ge=1, le=_MOST_PAGES)] = 1,
) -> Response:
    """List records, narrowed and searched, page by page."""
    asked = {name: request.query_params.get(name, "").strip() for name in _FILTERS}
    given = {name: value for name, value in asked.items() if value}
    skip = (page - 1) * _ON_A_PAGE
    found = queries.browse(service.catalog.connection, given, q, skip, _ON_A_PAGE + 1)

    def at(number: int) -> str:
        return "/records?" + urlencode({**given, **({"q": q} if q else {}), "page": number})

    return render(
        "records.html",
        records=[record_view.line(each) for each in found[:_ON_A_PAGE]],
        given=asked,
        q=q,
        first=skip + 1,
        total=sum(each.records for each in service.catalog.datasets),
        before=at(page - 1) if page > 1 else "",
        after=at(page + 1) if len(found) > _ON_A_PAGE else "",
        origins=ORIGINS,
        badges=record_view.BADGES,
    )


@router.get("/about")
def about(service: ServiceDep) -> Response:
    """Say what is served, what was set aside and why, and what happens to a paste."""
    connection = service.catalog.connection
    faults, unmatched = queries.faults(connection), queries.unmatched(connection)
    return render(
        "about.html",
        datasets=service.catalog.datasets,
        digest=service.catalog.digest,
        counts=queries.counts(connection),
        faults=faults[:_MOST_REMARKS],
        faults_in_all=len(faults),
        unmatched=unmatched[:_MOST_REMARKS],
        unmatched_in_all=len(unmatched),
        limits=service.settings,
    )
