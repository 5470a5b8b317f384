"""Mining installed packages into the cache, by command and in the service."""

import asyncio
import os
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.support.installed import PASTE, labels
from whyraise.cli.main import main
from whyraise.errors import BadInput
from whyraise.installed import grow, state
from whyraise.main import create_api
from whyraise.settings import Settings


def test_a_package_that_has_been_mined_is_not_mined_again(cache: str) -> None:
    assert grow.grow(labels("iniconfig"), cache)
    (path,) = Path(cache, "mined", state.miner_version()).iterdir()
    modified = path.stat().st_mtime_ns
    assert grow.grow(labels("iniconfig", "pluggy"), cache)
    assert path.stat().st_mtime_ns == modified
    assert len(list(Path(cache, "mined", state.miner_version()).iterdir())) == 2


def test_the_command_mines_its_targets_and_names_one_that_is_not_installed(
    cache: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", cache)
    monkeypatch.setattr(os, "nice", lambda _: 0)  # keep the following tests fast
    assert main(["grow", "iniconfig"]) == 0
    assert capsys.readouterr().out == "1 packages are known.\n"
    assert main(["grow", "nowhere"]) == 2
    assert "nowhere is not installed" in capsys.readouterr().err


def test_the_service_names_packages_that_it_is_mining_and_then_uses_them(cache: str) -> None:
    app = create_api(Settings(cache_dir=cache, mine="iniconfig"))
    with TestClient(app) as client:
        assert client.post("/v1/explain", json={"text": PASTE}).json()["growing"] in ([], [grow.label("iniconfig")])
        wait(client, app)
        answer = client.post("/v1/explain", json={"text": PASTE}).json()
        assert (answer["findings"][0]["record"]["filePath"], answer["growing"]) == ("iniconfig/__init__.py", [])
    with TestClient(app) as client:
        wait(client, app)
        assert client.get("/readyz").json()["records"] > 90


def wait(client: TestClient, app: FastAPI) -> None:
    """Wait until the service uses what it mines."""
    assert client.portal
    client.portal.call(asyncio.wait, [app.state.growing])


def test_the_service_does_not_start_if_a_configured_package_is_not_installed(cache: str) -> None:
    app = create_api(Settings(cache_dir=cache, mine="nowhere"))
    with pytest.raises(BadInput, match="nowhere is not installed"), TestClient(app):
        pass
