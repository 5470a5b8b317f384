"""The background process that mines into the cache."""

import os
from pathlib import Path

import pytest

from whyraise.installed import process, state


def test_modules_in_the_current_folder_are_not_run(cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ast.py").write_text("open('was-run', 'w')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    os.waitpid(process.start(["iniconfig"], cache), 0)
    assert state.mined_knowledge(cache)
    assert not (tmp_path / "was-run").exists()
