"""What one forked rank does inside the sandbox: it runs the steps of a request in order and reports to the worker.

The worker loads this file by its path, because the package is not visible inside the sandbox. So this file imports
nothing but the standard library. worker.py describes the request and the result.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import signal
import sys
import traceback
import types
from collections.abc import Iterator
from typing import Any

_LAST_LINES = 12
# Characters of a message (its start) and of a traceback (its end) in a result.
_MAX_MESSAGE, _MAX_TRACEBACK = 4000, 16000


def run(request: dict[str, Any], rank: int, folder: str, pipe: int, token: str) -> None:
    """Run the steps of a request as one rank in its folder.

    Write a line to `pipe` before each step and one with the result at the end: the token, a space and JSON.
    """
    _set_up_process(request, rank, folder)
    position: dict[str, Any] = {"step": "scenario", "at": -1}

    # Defaults, so that a snippet that patches these functions does not change what is reported.
    def report(content: dict[str, Any], write: Any = os.write, dumps: Any = json.dumps) -> None:
        write(pipe, f"{token} {dumps({**position, **content})}\n".encode())

    try:
        for number, step in enumerate(_steps(request, folder)):
            position.update(at=number, step=step)
            report({})
        report({"raised": "", "message": "", "lines": [], "traceback": ""})
    except BaseException as error:  # noqa: BLE001 (whatever ends a rank is the result to report)
        report(_described(error))


def _set_up_process(request: dict[str, Any], rank: int, folder: str) -> None:
    """Set the working folder, the stack dump, the standard streams, the import path and the environment of a rank."""
    os.chdir(folder)
    stack = open(".stack", "w")  # noqa: SIM115 (open for as long as the rank lives)
    faulthandler.register(signal.SIGUSR1, stack, all_threads=False)
    output = os.open("output", os.O_WRONLY | os.O_CREAT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.path.insert(0, folder)
    if request["launched"]:
        ranks = str(request["ranks"])
        os.environ.update(
            RANK=str(rank), LOCAL_RANK=str(rank), GROUP_RANK="0", WORLD_SIZE=ranks, LOCAL_WORLD_SIZE=ranks,
            MASTER_ADDR="127.0.0.1", MASTER_PORT=str(request["port"]), TORCHELASTIC_RUN_ID="prove",
        )  # fmt: skip


def _steps(request: dict[str, Any], folder: str) -> Iterator[str]:
    """Yield the name of each step, and run the step when the caller asks for the next one.

    A step gets the names that the last function of the scenario returned as a dict, such as those from `world`.
    """
    scenario = _import_scenario(request["source"], folder)
    functions = {name: value for name, value in vars(scenario).items() if callable(value)}
    protected = ["builtins", "scenario", *request["imports"]]
    protected += [value.__name__ for value in vars(scenario).values() if isinstance(value, types.ModuleType)]
    names: dict[str, Any] = {}
    joined = False
    for step in request["steps"]:
        yield step
        if step == "snippet":
            before = _code_of(protected)
            exec(compile(request["snippet"], "snippet.py", "exec"), names)  # noqa: S102
            _check_unchanged(before, _code_of(protected))
        elif step == "together":
            _check_process_group(joined, request["ranks"])
        else:
            result = functions[step](names)
            names = {"__name__": "snippet", **result} if isinstance(result, dict) else names
            joined = joined or _has_process_group()


def _import_scenario(source: str, folder: str) -> types.ModuleType:
    """Import a scenario from a file of its own, so that processes which it spawns can import it too."""
    with open(os.path.join(folder, "scenario.py"), "w") as file:
        file.write(source)
    return importlib.import_module("scenario")


def _has_process_group() -> bool:
    distributed = sys.modules.get("torch.distributed")
    return bool(distributed and distributed.is_available() and distributed.is_initialized())


def _check_process_group(joined: bool, ranks: int) -> None:
    """Raise `SystemError` unless the process group is as the scenario left it and a sum over all ranks is correct."""
    if _has_process_group() != joined:
        raise SystemError("the snippet created or destroyed the process group")
    if joined:
        torch: Any = sys.modules["torch"]
        ones = torch.ones(1)
        torch.distributed.all_reduce(ones)
        if ones.item() != ranks:
            raise SystemError(f"a sum of ones over {ranks} ranks gives {ones.item()}: collectives are out of step")


def _code_of(modules: list[str]) -> dict[tuple[str, ...], tuple[Any, Any]]:
    """Return every function, class and method that these modules name, each with the code object that it runs."""
    found: dict[tuple[str, ...], tuple[Any, Any]] = {}
    for module in modules:
        for name, value in list(vars(sys.modules[module]).items()):
            if isinstance(value, types.FunctionType | types.BuiltinFunctionType):
                found[module, name] = value, getattr(value, "__code__", None)
            elif isinstance(value, type):
                found[module, name] = value, None
                methods = {key: member for key, member in vars(value).items() if type(member) is types.FunctionType}
                found |= {(module, name, key): (method, method.__code__) for key, method in methods.items()}
    return found


def _check_unchanged(
    before: dict[tuple[str, ...], tuple[Any, Any]], after: dict[tuple[str, ...], tuple[Any, Any]]
) -> None:
    """Raise `SystemError` if a snippet changed code that is not its own, since a check could then rely on that code."""
    methods = {name for name in after if name[2:] and name[:2] in before}  # also new ones that hide a method in C
    for name in before.keys() | methods:
        old, new = before.get(name, (None, None)), after.get(name, (None, None))
        if new[0] is not old[0] or new[1] is not old[1]:
            raise SystemError(f"the snippet changed {'.'.join(name)}")


def _described(error: BaseException) -> dict[str, Any]:
    text = "".join(traceback.format_exception(error))
    kind = type(error)
    return {
        "raised": kind.__qualname__,
        "module": kind.__module__,
        "message": str(error)[:_MAX_MESSAGE],
        "lines": text.splitlines()[-_LAST_LINES:],
        "traceback": text[-_MAX_TRACEBACK:],
    }
