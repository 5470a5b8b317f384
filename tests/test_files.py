"""Files of the cache: which of them are removed, and what changes their names."""

import os
import shutil
from pathlib import Path

import pytest

from whyraise.files import PACKAGE, code_checksum, remove_old
from whyraise.knowledge import cache


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A copy of this program's code that a test may change."""
    copy = tmp_path / "whyraise"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "_records"))
    return copy


@pytest.mark.parametrize("package", ["", *cache.CODE_PACKAGES])
def test_the_checksum_changes_when_code_that_builds_cached_files_changes(package: str, code: Path) -> None:
    before = code_checksum(*cache.CODE_PACKAGES, root=str(code))
    with open(next((code / package).glob("*.py")), "a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert code_checksum(*cache.CODE_PACKAGES, root=str(code)) != before


def test_the_checksum_stays_the_same_when_other_code_changes(code: Path) -> None:
    before = code_checksum(*cache.CODE_PACKAGES, root=str(code))
    (code / "web/added.py").write_text("", "utf-8")
    assert code_checksum(*cache.CODE_PACKAGES, root=str(code)) == before


def test_the_eight_newest_files_are_kept(tmp_path: Path) -> None:
    for number in range(10):
        path = tmp_path / f"{number}.db"
        path.write_text("", "utf-8")
        os.utime(path, (number, number))
    remove_old(str(tmp_path), ".db")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{number}.db" for number in range(2, 10)]
