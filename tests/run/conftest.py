"""The environment of the commands in these tests."""

import os

import pytest


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """This process's environment with an empty cache and without mining."""
    return {**os.environ, "WHYRAISE_CACHE_DIR": str(tmp_path_factory.mktemp("cache")), "WHYRAISE_MINE": "off"}
