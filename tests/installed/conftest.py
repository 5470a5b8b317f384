"""A cache folder of its own for each test."""

from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path: Path) -> str:
    return str(tmp_path / "cache")
