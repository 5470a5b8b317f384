"""`/e/{id}`, `/records` and `/about`: the page of a record, the list of records, and the page about the service."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from whyraise.records.record import ORIGINS, Record
from whyraise.web.pages import record_view
from whyraise.web.pages.rendering import assets_digest, render
from whyraise.web.responses import cache_headers, is_current, preferred, record_response
from whyraise.web.service import Service, ServiceDep

router = APIRouter(include_in_schema=False)

_KINDS = {"text/html": "html", "text/markdown": "md", "application/json": "json"}
_FILTERS = ("repo", "tag", "errorClass", "origin", "proof")
_PAGE_SIZE, _MAX_SEE_ALSO, _MAX_PAGES = 30, 6, 10_000
_MAX_FAULTS = 200


@router.get("/e/{record_id}.json")
def record_as_json(request: Request, service: ServiceDep, record_id: str) -> Response:
    """Return a record as JSON."""
    return _record(request, service, record_id, "json")


@router.get("/e/{record_id}.md")
def record_as_markdown(request: Request, service: ServiceDep, record_id: str) -> Response:
    """Return a record as Markdown."""
    return _record(request, service, record_id, "md")


@router.get("/e/{record_id}")
def record_as_preferred(request: Request, service: ServiceDep, record_id: str) -> Response:
    """Return a record in the media type that the request prefers, by default as a page."""
    accept = request.headers.get("accept", "")
    return _record(request, service, record_id, _KINDS[preferred(accept, list(_KINDS))])


def _record(request: Request, service: Service, record_id: str, kind: str) -> Response:
    record = service.knowledge.record_of(record_id)
    digest = service.catalog.digest
    if kind != "html":
        return record_response(request, digest, record, kind)
    headers = cache_headers(f"{digest[:16]}-{record.id}-{assets_digest()}")
    if is_current(request, headers):
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
    found = service.catalog.list_records(filters, limit=_MAX_SEE_ALSO + 1).records
    return [record_view.line(other) for other in found if other.id != record.id][:_MAX_SEE_ALSO]


@router.get("/records")
def list_records(
    request: Request,
    service: ServiceDep,
    q: Annotated[str, Query(max_length=1000)] = "",
    page: Annotated[int, Query(ge=1, le=_MAX_PAGES)] = 1,
) -> Response:
    """List the records that match the filters and the search words, page by page."""
    filters = {name: request.query_params.get(name, "").strip() for name in _FILTERS}
    active = {name: value for name, value in filters.items() if value}
    skip = (page - 1) * _PAGE_SIZE
    found = service.catalog.browse(active, q, skip, _PAGE_SIZE + 1)

    def page_url(number: int) -> str:
        return "/records?" + urlencode({**active, **({"q": q} if q else {}), "page": number})

    return render(
        "records.html",
        records=[record_view.line(record) for record in found[:_PAGE_SIZE]],
        filters=filters,
        q=q,
        first=skip + 1,
        total=sum(dataset.records for dataset in service.catalog.datasets),
        before=page_url(page - 1) if page > 1 else "",
        after=page_url(page + 1) if len(found) > _PAGE_SIZE else "",
        origins=ORIGINS,
        badges=record_view.BADGES,
    )


@router.get("/about")
def about(service: ServiceDep) -> Response:
    """Show the data sets, the invalid records with the reasons, and what happens to a paste."""
    faults, unmatched = service.catalog.faults(), service.catalog.unmatched()
    return render(
        "about.html",
        datasets=service.catalog.datasets,
        digest=service.catalog.digest,
        counts=service.catalog.counts(),
        faults=faults[:_MAX_FAULTS],
        faults_in_all=len(faults),
        unmatched=unmatched[:_MAX_FAULTS],
        unmatched_in_all=len(unmatched),
        limits=service.settings,
    )
