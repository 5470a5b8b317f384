"""The committed contract is current, and the service keeps it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from tests.support import contract
from tests.support.seed import SEED, TRACEBACK
from tests.support.serving import live
from whyraise.main import create_app
from whyraise.settings import Settings
from whyraise.web.api import models, status_models

COMMITTED: dict[str, Any] = yaml.safe_load(contract.FILE.read_text("utf-8"))


def test_openapi_yaml_is_current() -> None:
    assert contract.FILE.read_text("utf-8") == contract.text()


def test_every_operation_declares_problem_documents_for_errors() -> None:
    for path, operations in COMMITTED["paths"].items():
        for operation in operations.values():
            content = operation["responses"]["default"]["content"]
            assert list(content) == ["application/problem+json"], path
            assert "422" not in operation["responses"], path


def test_operation_ids_are_unique() -> None:
    names = [operation["operationId"] for path in COMMITTED["paths"].values() for operation in path.values()]
    assert len(names) == len(set(names)) == 16


@pytest.mark.parametrize("text", [TRACEBACK, TRACEBACK.replace("sync is", "SYNC is"), "", "all is well"])
def test_answers_match_the_models_of_the_contract(text: str, tmp_path: Path) -> None:
    with TestClient(create_app(Settings(mine="off", cache_dir=str(tmp_path)))) as client:
        models.Explanation.model_validate(client.post("/v1/explain", json={"text": text}).json())
        models.Diagnosis.model_validate(client.post("/v1/diagnose", json={"text": text, "id": SEED}).json())
        models.Explanations.model_validate(client.post("/v1/explain:batch", json={"texts": [text]}).json())
        models.Records.model_validate(client.get("/v1/records").json())
        status_models.DataSets.model_validate(client.get("/v1/dataset").json())


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A live server on loopback."""
    with live(Settings(mine="off", cache_dir=str(tmp_path), max_body_bytes=100_000)) as address:
        yield f"http://{address}"


@pytest.mark.timeout(240)
def test_schemathesis_finds_no_violation_of_the_contract(address: str) -> None:
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", str(contract.FILE), "--url", address,
        "--checks", "all", "--max-examples", "30", "--seed", "1", "--workers", "1",
        "--phases", "examples,coverage,fuzzing",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=220, check=False, cwd=contract.FILE.parent)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
