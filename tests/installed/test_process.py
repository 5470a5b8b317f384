"""The background process that mines into the cache, and the lock that it holds."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import filelock
import pytest

from whyraise.installed import process, state


def test_modules_in_the_current_folder_are_not_run(cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ast.py").write_text("open('was-run', 'w')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    os.waitpid(process.start(["iniconfig"], cache), 0)
    assert state.mined_knowledge(cache)
    assert not (tmp_path / "was-run").exists()


@pytest.fixture(params=["with fcntl", "without fcntl"])
def lock_path(request: pytest.FixtureRequest, cache: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of the lock in an empty cache; `fcntl` is missing for our code, as on Windows, or is there."""
    if request.param == "without fcntl":
        monkeypatch.setitem(sys.modules, "fcntl", None)
    os.mkdir(cache)
    return os.path.join(cache, process.LOCK_FILE)


def test_a_lock_that_another_program_holds_counts_as_mining(lock_path: str, cache: str) -> None:
    assert not process.is_mining(cache)
    assert not os.path.exists(lock_path)
    with open(lock_path, "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert process.is_mining(cache)
    assert not process.is_mining(cache)


def test_the_lock_of_the_library_counts_as_mining(lock_path: str, cache: str) -> None:
    with filelock.FileLock(lock_path):
        assert process.is_mining(cache)
    assert not process.is_mining(cache)


def test_a_lookup_asks_without_importing_the_library(cache: str) -> None:
    code = (
        f"import sys\nfrom whyraise.installed.process import is_mining\nassert not is_mining({cache!r})\n"
        "print('filelock' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"


def test_processes_that_nobody_waits_for_do_not_pile_up(tmp_path: Path) -> None:
    process.start_and_forget(["no-such-distribution"], str(tmp_path))
    [first] = process._started
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)  # it has ended, and is still in the system's table
    process.start_and_forget(["no-such-distribution"], str(tmp_path))
    [second] = process._started
    with pytest.raises(ChildProcessError):
        os.waitpid(first, os.WNOHANG)
    os.waitpid(second, 0)
