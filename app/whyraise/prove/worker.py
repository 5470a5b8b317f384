"""The warm parent inside a sandbox: imports the libraries once, and forks fresh ranks for every stage.

It reads one JSON request a line on its standard input and answers each with one JSON line. This file is run by itself,
not as part of the package, because inside the sandbox nothing of ours is there: it needs the standard library, and the
libraries that the request names.

A request: `source` (the scenario's text), `snippet` (published code or ""), `steps` (which of the scenario's functions
to call, with "snippet" for the code itself), `ranks`, `limit` in seconds, `launched` (whether ranks get torchrun's
environment), `imports` (what a snippet must leave as it is). The answer: one entry per rank with `step` (the last one
begun), `raised`, `message`, `lines`, `traceback` and, for ranks that never answered, `exit` or `stack`.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
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
import traceback
import types
from collections.abc import Iterator
from typing import Any

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h: orphans become children of this process, so that none is left
_LAST_LINES = 12
_TICK = 0.05  # seconds between two looks at what the sandbox holds
_MOST_PROCESSES, _MOST_MEMORY, _MOST_SAID = 64, 4 << 30, 1 << 20
_GRACE = 0.5  # seconds in which a rank that is over its limit may write where it stands


def main() -> None:
    """Serve requests until the standard input ends."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    versions = _import(json.loads(sys.stdin.readline()))
    print(json.dumps(versions), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_stage(json.loads(line), answers.fileno())), file=answers, flush=True)


def _import(names: list[str]) -> dict[str, str]:
    versions = {"python": sys.version.split()[0]}
    for name in names:
        whole = importlib.import_module(name.split(".")[0])
        versions[name.split(".")[0]] = getattr(whole, "__version__", versions["python"])
        importlib.import_module(name)
    return versions


class _Rank:
    """A forked rank: its process, what it writes, and the file with its stack."""

    def __init__(self, pid: int, pipe: int, folder: str) -> None:
        self.pid, self.pipe, self.folder = pid, pipe, folder
        self.data = b""


def _stage(request: dict[str, Any], answers: int) -> list[dict[str, Any]]:
    """Run one stage in fresh ranks and return what each ended with; nothing of it is left afterwards."""
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
    reading, writing = os.pipe()
    own = os.path.join(folder, str(rank))
    os.mkdir(own)
    pid = os.fork()
    if pid:
        os.close(writing)
        return _Rank(pid, reading, own)
    try:
        os.close(answers)
        os.setpgid(0, 0)
        os.nice(_NICE)
        _run(request, rank, own, writing, token)
        os.close(writing)
        while True:  # a rank that leaves early would break what the others still do; the warm parent ends them all
            signal.pause()
    finally:
        os._exit(0)


# Ranks give way to the warm parent, which must get its turn to end those that take all there is.
_NICE = 10


def _wait(ranks: list[_Rank], end: float, contained: bool) -> None:
    """Read what ranks write until all are done or the limit is over; then ask for their stacks and end them."""
    open_pipes = {rank.pipe: rank for rank in ranks}
    asked = False
    while open_pipes:
        left = end - time.monotonic()
        if left <= 0 and asked:
            break
        if left <= 0:
            for rank in open_pipes.values():
                _signal(rank.pid, signal.SIGUSR1)
            end, asked = time.monotonic() + _GRACE, True
        elif contained and _too_much():
            os.kill(-1, signal.SIGKILL)
        _read(open_pipes, min(max(left, 0), _TICK) or _TICK)
    for rank in ranks:
        os.close(rank.pipe)


def _read(open_pipes: dict[int, _Rank], seconds: float) -> None:
    for pipe in select.select(list(open_pipes), [], [], seconds)[0]:
        data = os.read(pipe, 65536)
        open_pipes[pipe].data += data
        if not data or len(open_pipes[pipe].data) > _MOST_SAID:
            del open_pipes[pipe]


def _too_much() -> bool:
    """Return whether the sandbox holds more processes or memory than any proof needs."""
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(pids) > _MOST_PROCESSES:
        return True
    return sum(map(_memory, pids)) > _MOST_MEMORY


def _memory(pid: str) -> int:
    """Return the bytes that a process holds for itself alone; what it shares with the warm parent is counted once."""
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
    """Return a rank's last word, where it carries the stage's token: what a snippet writes to a pipe counts nothing."""
    steps: list[str] = []
    said: dict[str, Any] | None = None
    for line in rank.data.decode("utf-8", "replace").splitlines():
        head, _, body = line.partition(" ")
        if head == token:
            content = json.loads(body)
            said = content if "raised" in content else said
            steps.append(content.get("step"))
    if said is not None:
        return said
    stack = os.path.join(rank.folder, ".stack")
    stuck = _text(stack) if os.path.exists(stack) else ""
    ended = os.waitpid(rank.pid, os.WNOHANG)
    status = os.waitstatus_to_exitcode(ended[1]) if ended[0] else None
    return {"step": steps[-1] if steps else "start", "raised": None, "exit": status, "stack": stuck}


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _end_all() -> None:
    """End every process below this one; as its subreaper it has all that daemonised too."""
    while children := _children():
        for pid in children:
            _signal(pid, signal.SIGKILL)
        for pid in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


def _run(request: dict[str, Any], rank: int, folder: str, pipe: int, token: str) -> None:
    """Be one rank: run the steps in order, and say before each where we are and at the end how it went."""
    _settle(request, rank, folder)
    place: dict[str, Any] = {"step": "scenario", "at": -1}

    def say(content: dict[str, Any], write: Any = os.write, dumps: Any = json.dumps) -> None:
        write(pipe, f"{token} {dumps({**place, **content})}\n".encode())

    try:
        for at, step in enumerate(_steps(request, folder)):
            place.update(at=at, step=step)
            say({})
        say({"raised": "", "message": "", "lines": [], "traceback": ""})
    except BaseException as error:  # noqa: BLE001 (whatever ends a rank is what we are here to report)
        say(_described(error))


def _steps(request: dict[str, Any], folder: str) -> Iterator[str]:
    """Yield the name of each step and run it when the next is asked for, with the names that the world gave."""
    scenario = _module("scenario", request["source"], folder)
    functions = {name: value for name, value in vars(scenario).items() if callable(value)}
    judged = ["builtins", "scenario", *request["imports"]]
    judged += [value.__name__ for value in vars(scenario).values() if isinstance(value, types.ModuleType)]
    names: dict[str, Any] = {}
    joined = False
    for step in request["steps"]:
        yield step
        if step == "snippet":
            before = _code(judged)
            exec(compile(request["snippet"], "snippet.py", "exec"), names)  # noqa: S102
            _same(before, _code(judged))
        elif step == "together":
            _together(joined, request["ranks"])
        else:
            result = functions[step](names)
            names = {"__name__": "snippet", **result} if isinstance(result, dict) else names
            joined = joined or _joined()


def _joined() -> bool:
    distributed = sys.modules.get("torch.distributed")
    return bool(distributed and distributed.is_available() and distributed.is_initialized())


def _together(joined: bool, ranks: int) -> None:
    """Raise where the process group is not what the world left: it is there, and a sum over all ranks comes out."""
    if _joined() != joined:
        raise SystemError("the snippet left the process group other than it found it")
    if joined:
        torch: Any = sys.modules["torch"]
        ones = torch.ones(1)
        torch.distributed.all_reduce(ones)
        if ones.item() != ranks:
            raise SystemError(f"a sum of ones over {ranks} ranks gives {ones.item()}: collectives are out of step")


def _settle(request: dict[str, Any], rank: int, folder: str) -> None:
    os.chdir(folder)
    stack = open(".stack", "w")  # noqa: SIM115 (open for as long as the rank lives)
    faulthandler.register(signal.SIGUSR1, stack, all_threads=False)
    null = os.open("output", os.O_WRONLY | os.O_CREAT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(null, 1)
    os.dup2(null, 2)
    sys.path.insert(0, folder)
    if request["launched"]:
        ranks = str(request["ranks"])
        os.environ.update(
            RANK=str(rank), LOCAL_RANK=str(rank), GROUP_RANK="0", WORLD_SIZE=ranks, LOCAL_WORLD_SIZE=ranks,
            MASTER_ADDR="127.0.0.1", MASTER_PORT=str(request["port"]), TORCHELASTIC_RUN_ID="prove",
        )  # fmt: skip


def _module(name: str, source: str, folder: str) -> types.ModuleType:
    """Import a scenario from a file of its own, so that spawned processes find it too."""
    with open(os.path.join(folder, f"{name}.py"), "w") as file:
        file.write(source)
    return importlib.import_module(name)


def _code(modules: list[str]) -> dict[tuple[str, ...], tuple[Any, Any]]:
    """Return every function, class and method that these modules name, and the code that each runs."""
    found: dict[tuple[str, ...], tuple[Any, Any]] = {}
    for name in modules:
        for key, value in list(vars(sys.modules[name]).items()):
            if isinstance(value, types.FunctionType | types.BuiltinFunctionType):
                found[name, key] = value, getattr(value, "__code__", None)
            elif isinstance(value, type):
                found[name, key] = value, None
                methods = ((each, held) for each, held in vars(value).items() if type(held) is types.FunctionType)
                found |= {(name, key, each): (held, held.__code__) for each, held in methods}
    return found


def _same(before: dict[tuple[str, ...], tuple[Any, Any]], after: dict[tuple[str, ...], tuple[Any, Any]]) -> None:
    """Raise where a snippet changed code that is not its own, so that a check would judge by it."""
    methods = {name for name in after if name[2:] and name[:2] in before}  # also those that hide one of C
    for name in before.keys() | methods:
        was, now = before.get(name, (None, None)), after.get(name, (None, None))
        if now[0] is not was[0] or now[1] is not was[1]:
            raise SystemError(f"the snippet changed {'.'.join(name)}")


def _described(error: BaseException) -> dict[str, Any]:
    text = "".join(traceback.format_exception(error))
    kind = type(error)
    return {
        "raised": kind.__qualname__,
        "module": kind.__module__,
        "message": str(error)[:4000],
        "lines": text.splitlines()[-_LAST_LINES:],
        "traceback": text[-16000:],
    }


if __name__ == "__main__":
    main()
