"""What the service says of itself: its data sets, its limits, whether it is alive and ready."""

from __future__ import annotations

from fastapi import APIRouter, Response

from whyraise.knowledge import queries
from whyraise.reporters import json
from whyraise.version import VERSION
from whyraise.web.api import models
from whyraise.web.problems import RESPONSES
from whyraise.web.responses import json_response
from whyraise.web.service import ServiceDep

router = APIRouter(tags=["service"], responses=RESPONSES)


@router.get("/v1/dataset", operation_id="getDataset", response_model=models.DataSets)
def get_dataset(service: ServiceDep) -> Response:
    """Say what is served, what was set aside and why."""
    connection = service.catalog.connection
    return json_response(
        {
            "digest": service.catalog.digest,
            "datasets": [json.dataset(each) for each in service.catalog.datasets],
            "records": sum(each.records for each in service.catalog.datasets),
            "setAside": [fault._asdict() for fault in queries.faults(connection)],
            "notes": [note._asdict() for note in queries.notes(connection)],
            "unmatched": [each._asdict() for each in queries.unmatched(connection)],
        }
    )


@router.get("/v1/limits", operation_id="getLimits", response_model=models.Limits)
def get_limits(service: ServiceDep) -> Response:
    """Say what is accepted and returned at the most."""
    settings = service.settings
    return json_response(
        {
            "maxBodyBytes": settings.max_body_bytes,
            "maxBatchTexts": settings.max_batch_texts,
            "maxToolBytes": settings.max_tool_bytes,
            "largePasteBytes": settings.large_paste_bytes,
            "largePasteQueue": settings.large_paste_queue,
            "maxFindings": settings.max_findings,
        }
    )


@router.get("/livez", operation_id="getAlive", response_model=models.Alive)
def get_alive() -> Response:
    """Say that the process answers; never depends on the records."""
    return json_response({"alive": True})


@router.get(
    "/readyz",
    operation_id="getReady",
    response_model=models.Ready,
    responses={503: {"model": models.Ready, "description": "No record can be looked up."}},
)
def get_ready(service: ServiceDep) -> Response:
    """Say whether records can be looked up, how many were set aside and why."""
    records = sum(each.records for each in service.catalog.datasets)
    faults = queries.faults(service.catalog.connection)
    reasons = [f"{fault.file}{fault.pointer}: {fault.reason}" for fault in faults[:100]]
    content = {"ready": records > 0, "records": records, "setAside": len(faults), "reasons": reasons}
    return json_response(content, status=200 if records else 503)


@router.get("/version", operation_id="getVersion", response_model=models.Version)
def get_version(service: ServiceDep) -> Response:
    """Say which version runs, and the digest of what it knows."""
    return json_response({"version": VERSION, "digest": service.catalog.digest})
