"""The worker inside a sandbox: it imports the libraries once and forks new ranks for every stage.

It reads one JSON request per line from its standard input and answers each with one line of JSON. Python runs this file
by its path, not as part of the package, because the package is not visible inside the sandbox. It needs rank.py beside
it, the standard library, and the libraries that the first request names.

A request: `source` (the scenario's text), `snippet` (published code or ""), `steps` (which of the scenario's functions
to call, with "snippet" for the code itself), `ranks`, `limit` in seconds, `launched` (whether ranks get torchrun's
environment), `imports` (what a snippet must not change). The answer: one entry per rank with `step` (the last one
begun), `raised`, `message`, `lines`, `traceback` and, for ranks that never reported a result, `exit` or `stack`.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import types
from collections.abc import Callable
from typing import Any

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h: orphans become children of this process, so that it can end them all
_POLL_SECONDS = 0.05  # between two checks of the sandbox's processes and memory
_MAX_PROCESSES, _MAX_MEMORY, _MAX_OUTPUT = 64, 4 << 30, 1 << 20
_MAX_STACK = 100_000
_GRACE = 0.5  # seconds in which a rank that exceeds its limit can write its stack
# Ranks run at a lower priority than the worker, which must get its turn to end those that use up the processor.
_NICE = 10


def _load_sibling(name: str) -> types.ModuleType:
    """Load a module from a file beside this one, by its path.

    Their folder is not put on the import path: Landlock does not let Python list it, and a scenario must not be able to
    import a module of this package by its bare name. The file is compiled here, because a snippet might be able to
    change a cached .pyc file, which later processes would read.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    module = types.ModuleType(name)
    exec(compile(_text(path), path, "exec"), vars(module))  # noqa: S102
    return module


def _text(path: str, most: int = -1) -> str:
    """Return the text of a file, at most `most` characters: a snippet can write to the files of its rank."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(most)


# Loaded before any code of a scenario or snippet runs.
_run_rank: Callable[[dict[str, Any], int, str, int, str], None] = _load_sibling("rank").run


def main() -> None:
    """Serve requests until the standard input ends."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    versions = _import(json.loads(sys.stdin.readline()))
    print(json.dumps(versions), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_run_stage(json.loads(line), answers.fileno())), file=answers, flush=True)


def _import(names: list[str]) -> dict[str, str]:
    """Import modules and return the versions of Python and of their packages."""
    versions = {"python": sys.version.split()[0]}
    for name in names:
        package = importlib.import_module(name.split(".")[0])
        versions[name.split(".")[0]] = getattr(package, "__version__", versions["python"])
        importlib.import_module(name)
    return versions


class _Rank:
    """A forked rank: its process, the pipe that it writes to, and the folder that holds its stack."""

    def __init__(self, pid: int, pipe: int, folder: str) -> None:
        self.pid, self.pipe, self.folder = pid, pipe, folder
        self.data = b""


def _run_stage(request: dict[str, Any], answers: int) -> list[dict[str, Any]]:
    """Run one stage in new ranks and return the result of each; end every process and remove every file of it."""
    folder, before = tempfile.mkdtemp(), set(os.listdir(tempfile.gettempdir()))
    token = os.urandom(16).hex()
    try:
        request["port"] = _free_port()
        ranks = [_fork(request, rank, folder, answers, token) for rank in range(request["ranks"])]
        _wait(ranks, time.monotonic() + request["limit"], request.get("contained", False))
        return [_result(rank, token) for rank in ranks]
    finally:
        _end_all()
        shutil.rmtree(folder, ignore_errors=True)
        for name in set(os.listdir(tempfile.gettempdir())) - before:
            path = os.path.join(tempfile.gettempdir(), name)
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.unlink(path)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _fork(request: dict[str, Any], rank: int, folder: str, answers: int, token: str) -> _Rank:
    read_end, write_end = os.pipe()
    rank_folder = os.path.join(folder, str(rank))
    os.mkdir(rank_folder)
    pid = os.fork()
    if pid:
        os.close(write_end)
        return _Rank(pid, read_end, rank_folder)
    try:
        os.close(answers)
        os.setpgid(0, 0)
        os.nice(_NICE)
        _run_rank(request, rank, rank_folder, write_end, token)
        os.close(write_end)
        while True:  # a rank that exits early would break what the others still do; the worker ends them all
            signal.pause()
    finally:
        os._exit(0)


def _wait(ranks: list[_Rank], end: float, contained: bool) -> None:
    """Read what ranks write until all are done; after the limit request their stacks and stop."""
    open_pipes = {rank.pipe: rank for rank in ranks}
    requested = False
    while open_pipes:
        remaining = end - time.monotonic()
        if remaining <= 0 and requested:
            break
        if remaining <= 0:
            for rank in open_pipes.values():
                _signal(rank.pid, signal.SIGUSR1)
            end, requested = time.monotonic() + _GRACE, True
        elif contained and _exceeds_limits():
            os.kill(-1, signal.SIGKILL)
        _read(open_pipes, min(max(remaining, 0), _POLL_SECONDS) or _POLL_SECONDS)
    for rank in ranks:
        os.close(rank.pipe)


def _read(open_pipes: dict[int, _Rank], seconds: float) -> None:
    """Read once from each pipe that becomes readable in time; drop a pipe that is closed or over its limit."""
    for pipe in select.select(list(open_pipes), [], [], seconds)[0]:
        data = os.read(pipe, 65536)
        open_pipes[pipe].data += data
        if not data or len(open_pipes[pipe].data) > _MAX_OUTPUT:
            del open_pipes[pipe]


def _exceeds_limits() -> bool:
    """Return whether the sandbox holds more processes or memory than any proof needs."""
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(pids) > _MAX_PROCESSES:
        return True
    return sum(map(_memory, pids)) > _MAX_MEMORY


def _memory(pid: str) -> int:
    """Return the bytes that a process holds alone; what it shares with the worker is not counted again."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _result(rank: _Rank, token: str) -> dict[str, Any]:
    """Return a rank's last reported result, or how its process ended.

    Lines without the stage's token are ignored: a snippet may have written them to the pipe.
    """
    steps: list[str] = []
    reported: dict[str, Any] | None = None
    for line in rank.data.decode("utf-8", "replace").splitlines():
        prefix, _, body = line.partition(" ")
        if prefix == token:
            content = json.loads(body)
            reported = content if "raised" in content else reported
            steps.append(content.get("step"))
    if reported is not None:
        return reported
    path = os.path.join(rank.folder, ".stack")
    stack = _text(path, _MAX_STACK) if os.path.isfile(path) else ""
    pid, status = os.waitpid(rank.pid, os.WNOHANG)
    exit_code = os.waitstatus_to_exitcode(status) if pid else None
    return {"step": steps[-1] if steps else "start", "raised": None, "exit": exit_code, "stack": stack}


def _end_all() -> None:
    """End every process below this one; daemons are among them, because this process is their subreaper."""
    while children := _children():
        for pid in children:
            _signal(pid, signal.SIGKILL)
        for pid in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


if __name__ == "__main__":
    main()
