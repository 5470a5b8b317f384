"""Files are replaced atomically; old files of the cache are removed; changed code changes their names."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from whyraise.files import PACKAGE, Replacement, code_checksum, remove_old, replace_file
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


def test_a_file_is_written_or_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for data in (b"old", b"new"):
        replace_file(str(path), data)
        assert (path.read_bytes(), list(tmp_path.iterdir())) == (data, [path])


@pytest.mark.parametrize("error", [OSError, ValueError, KeyboardInterrupt])
def test_a_failed_write_keeps_the_old_file_and_leaves_no_other(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old", "utf-8")
    with pytest.raises(error), Replacement(str(path)) as temporary:  # noqa: PT012  # it fails inside
        Path(temporary).write_text("half", "utf-8")
        raise error
    assert (path.read_text("utf-8"), list(tmp_path.iterdir())) == ("old", [path])


def test_a_path_that_cannot_be_replaced_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    with pytest.raises(OSError):  # noqa: PT011  # its class depends on the platform
        replace_file(str(tmp_path / "folder"), b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_threads_that_replace_the_same_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    contents = [bytes([number]) * 100_000 for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda data: replace_file(str(path), data), contents))
    assert (path.read_bytes() in contents, list(tmp_path.iterdir())) == (True, [path])
