"""Fixtures for the tests of reporters."""

from pathlib import Path

import pytest

from tests.support.user_failure import make_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the source file that the traceback of `failure` names."""
    make_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WHYRAISE_MINE", "off")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path
