"""`/v1/dataset`, `/v1/limits`, `/livez`, `/readyz` and `/version`: the service describes itself."""

from __future__ import annotations

from fastapi import APIRouter, Response

from whyraise.reporters import json
from whyraise.version import VERSION
from whyraise.web.api import status_models
from whyraise.web.problems import RESPONSES
from whyraise.web.responses import json_response
from whyraise.web.service import ServiceDep

router = APIRouter(tags=["service"], responses=RESPONSES)


@router.get("/v1/dataset", operation_id="getDataset", response_model=status_models.DataSets)
def get_dataset(service: ServiceDep) -> Response:
    """Return the data sets that are served, and the records that are not served or not matched, with the reasons."""
    catalog = service.catalog
    return json_response(
        {
            "digest": service.catalog.digest,
            "datasets": [json.dataset(dataset) for dataset in service.catalog.datasets],
            "records": sum(dataset.records for dataset in service.catalog.datasets),
            "setAside": [fault._asdict() for fault in catalog.faults()],
            "notes": [note._asdict() for note in catalog.notes()],
            "unmatched": [record._asdict() for record in catalog.unmatched()],
        }
    )


@router.get("/v1/limits", operation_id="getLimits", response_model=status_models.Limits)
def get_limits(service: ServiceDep) -> Response:
    """Return the limits on requests and answers."""
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


@router.get("/livez", operation_id="getAlive", response_model=status_models.Alive)
def get_alive() -> Response:
    """Report that the process is running, whatever the state of the records."""
    return json_response({"alive": True})


@router.get(
    "/readyz",
    operation_id="getReady",
    response_model=status_models.Ready,
    responses={503: {"model": status_models.Ready, "description": "No record can be looked up."}},
)
def get_ready(service: ServiceDep) -> Response:
    """Return whether records can be looked up, how many faults of records there are, and the reasons."""
    records = sum(dataset.records for dataset in service.catalog.datasets)
    faults = service.catalog.faults()
    reasons = [f"{fault.file}{fault.pointer}: {fault.reason}" for fault in faults[:100]]
    content = {"ready": records > 0, "records": records, "setAside": len(faults), "reasons": reasons}
    return json_response(content, status=200 if records else 503)


@router.get("/version", operation_id="getVersion", response_model=status_models.Version)
def get_version(service: ServiceDep) -> Response:
    """Return the version of the service and the digest of its records."""
    return json_response({"version": VERSION, "digest": service.catalog.digest})
