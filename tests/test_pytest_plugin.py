"""The pytest plugin in separate processes: real failures of real libraries, and runs without failures."""

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.pytest_runs import output_of, sections

# The failing code of each test, and the text in its section that only the right record has.
FAILURES = {
    "json": ("json.loads(\"{'a': 1}\")", "record f42925ae1e3b625a (curated)"),
    "chain": ("load_settings()", "record 891c392144eab188 (curated)"),
    "subprocess": ("subprocess.run(['false'], check=True)", "record 11096f5ab3db0216 (curated)"),
    "unpack": ("a, b = [1, 2, 3]", "record b388fb85df50a823 (curated)"),
    "pop": ("[].pop()", "record 4dfdfea9432e055a (curated)"),
    "fixture": ("broken", "record ec531bd2f01f3e35 (curated)"),
    "httpx": ("httpx.get('foo')", "(mined): pypi/httpx, httpx/_transports/default.py"),
    "requests": ("requests.get('foo')", "(mined): pypi/requests, requests/models.py"),
    "fastapi": ("fastapi.APIRouter(prefix='x')", "(mined): pypi/fastapi, fastapi/routing.py"),
    "h11": ("h11.Request(method='GET', target='/', headers=[])", "(mined): pypi/h11, h11/_events.py"),
    "zipfile": ("zipfile.ZipFile(__file__)", "(mined): python/cpython, zipfile.py"),
}
BEGIN = """
import json, subprocess, zipfile
import fastapi, h11, httpx, pytest, requests

@pytest.fixture
def broken():
    return {}["rank"]

def load_settings():
    try:
        json.loads("[")
    except ValueError as error:
        raise RuntimeError("no settings") from error

def test_own():
    assert 1 == 2

def test_said():
    pytest.fail("too many values to unpack (expected 2)")
"""
PATCHED = """
import json, os, sqlite3, time

def test_everything_is_patched(monkeypatch):
    for module, name in [(sqlite3, "connect"), (json, "loads"), (os, "listdir"), (time, "monotonic")]:
        monkeypatch.setattr(module, name, None)
    a, b = [1, 2, 3]
"""
# Prints at the end which modules of ours were imported.
MODULES = """
import sys
def pytest_unconfigure():
    print("\\nmodules:", sorted(name for name in sys.modules if name.partition(".")[0] == "whyraise"))
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache with the lock of a process that mines, so that no other process starts to mine."""
    folder = tmp_path_factory.mktemp("cache")
    with open(folder / "grow.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    tests = "".join(
        f"def test_{name}({code if code == 'broken' else ''}):\n    {code}\n" for name, (code, _) in FAILURES.items()
    )
    (tmp_path / "test_failing.py").write_text(BEGIN + tests, "utf-8")
    return tmp_path


@pytest.mark.parametrize("options", [(), ("--tb=short", "--show-capture=no"), ("-n", "2")], ids=str)
def test_each_failure_of_a_real_library_gets_the_right_record(
    options: tuple[str, ...], failing: Path, cache: Path
) -> None:
    output = output_of(failing, cache, *options)
    found = sections(output)
    assert found.keys() == FAILURES.keys() | {"own", "said"}
    assert (found["own"], found["said"]) == ("", "")
    assert [name for name, (_, text) in FAILURES.items() if text not in found[name]] == []
    assert "test_failing.py" in found["httpx"]  # the user's own line, although only the last exception has it
    assert f"{len(FAILURES)} of {len(FAILURES) + 2} failures are known.\n" in output


def test_the_summary_lists_known_errors_if_no_traceback_is_shown(failing: Path, cache: Path) -> None:
    output = output_of(failing, cache, "--tb=no", "-k", "unpack or own")
    assert sections(output) == {}
    line = "exact b388fb85df50a823 test_failing.py::test_unpack: too many values to unpack (expected 2)\n"
    assert f"{line}1 of 2 failures are known.\n" in output


def test_a_test_that_patches_what_the_plugin_needs_is_explained_too(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "test_patched.py").write_text(PATCHED, "utf-8")
    found = sections(output_of(tmp_path, cache, "-W", "error"))
    assert "record b388fb85df50a823" in found["everything_is_patched"]


def test_nothing_else_of_ours_is_imported_or_printed_if_no_test_fails(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "test_passing.py").write_text(
        "import pytest\ndef test_passes(): pass\n@pytest.mark.xfail\ndef test_known(): a, b = [1]\n"
        "@pytest.mark.skip\ndef test_skipped(): pass\n"
    )
    (tmp_path / "conftest.py").write_text(MODULES, "utf-8")
    output = output_of(tmp_path, cache, code=0)
    assert "modules: ['whyraise', 'whyraise.pytest_plugin']\n" in output
    assert "failures are known" not in output


@pytest.mark.parametrize("options", [("-p", "no:whyraise"), ("-o", "whyraise=off")], ids=str)
def test_the_plugin_can_be_turned_off(options: tuple[str, ...], failing: Path, cache: Path) -> None:
    output = output_of(failing, cache, *options, "-k", "unpack")
    assert "failures are known" not in output
    assert sections(output) == {"unpack": ""}


def test_failures_that_are_not_looked_up_in_time_are_counted(failing: Path, cache: Path) -> None:
    output = output_of(failing, cache, "-o", "whyraise_seconds=-1", "-k", "unpack or pop or said")
    line = "0 of 3 failures are known. 2 were not looked up, because the time was over (whyraise_seconds).\n"
    assert line in output


def test_an_error_of_the_plugin_is_one_line_and_changes_nothing_else(failing: Path, cache: Path) -> None:
    output = output_of(failing, cache, "-k", "unpack", WHYRAISE_SOURCES="/no/such")
    assert "The failures cannot be explained: /no/such cannot be read" in output
    assert "1 failed" in output


def test_modules_that_cannot_be_collected_are_explained(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "test_broken.py").write_text("a, b = [1, 2, 3]\n", "utf-8")
    for options in ((), ("-n", "1")):
        output = output_of(tmp_path, cache, *options, code=2 if not options else 1)
        assert "b388fb85df50a823 test_broken.py: too many values to unpack (expected 2)\n" in output
