"""What commands, the plugin and hooks ask: this machine in the current folder, or a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.records import record
from tests.support.seed import MESSAGE, SEED
from tests.support.serving import live
from whyraise.ask.ask import Options, open_asker
from whyraise.settings import Settings

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


@pytest.mark.parametrize("below", ["", "deep/deeper"])
def test_the_project_above_the_current_folder_counts(
    below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = record("the flux capacitor at {place} is cold")
    (tmp_path / "errors").mkdir()
    (tmp_path / "errors/team.jsonl").write_text(json.dumps(own), "utf-8")
    (tmp_path / "pyproject.toml").write_text(f'[tool.whyraise]\nrecords = "errors"\nmute = ["{SEED}"]\n', "utf-8")
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / below)
    ask = open_asker(Options(Settings(cache_dir=str(tmp_path / "cache"), mine="off")))
    assert [finding.record.id for finding in ask("the flux capacitor at home is cold").findings] == [own["id"]]
    assert ask(MESSAGE).muted == 1


def test_a_service_reads_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.whyraise]\nmute = ["{SEED}"]\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    settings = Settings(cache_dir=str(tmp_path / "cache"), mine="off")
    with live(settings) as address:
        found = open_asker(Options(settings, url=f"http://{address}"))(MESSAGE)
    assert ([finding.record.id for finding in found.findings], found.server) == ([SEED], f"http://{address}")


@pytest.mark.parametrize("as_is", [False, True])
def test_secrets_are_masked_before_a_text_is_sent_unless_the_user_says_otherwise(as_is: bool, tmp_path: Path) -> None:
    settings = Settings(cache_dir=str(tmp_path / "cache"), mine="off")
    text = f"ValueError: invalid literal for int() with base 10: '{SECRET}'\n"
    with live(settings) as address:
        found = open_asker(Options(settings, url=f"http://{address}", as_is=as_is))(text)
    [value] = [capture.value for capture in found.findings[0].captures if capture.name == "value"]
    assert value == repr(SECRET if as_is else "*" * len(SECRET))


def test_the_nearest_project_counts_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.whyraise]\nmute = ["{SEED}"]\n', "utf-8")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/pyproject.toml").write_text("[project]\n", "utf-8")
    monkeypatch.chdir(tmp_path / "deep")
    ask = open_asker(Options(Settings(cache_dir=str(tmp_path / "cache"), mine="off")))
    assert ask(MESSAGE).muted == 0
