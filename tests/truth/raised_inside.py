"""Raises real errors: calls what a package offers with arguments that do not fit, and prints each error as JSON.

Runs by itself inside a sandbox, on the standard library alone: what is called may do anything.
"""

import contextlib
import importlib
import inspect
import io
import json
import os
import pkgutil
import random
import signal
import sys
import traceback
import warnings
from dis import opmap
from types import ModuleType, TracebackType

ODD = [
    None, -1, 0, 3, 10**6, 1.5, float("nan"), "", "nonsense", "a.b/c", b"bytes", True, [], [1, "a"], ["x", "y", "z"],
    (), (1, 2), (1, 2, 3), {}, {"a": 1}, {"x": None}, {1, 2}, object(), len, int, lambda *_: 1, range(3), 1j, "2020-13-45",
]  # fmt: skip
# Packages whose parts are tests or start programs.
LEFT_OUT = (
    "test",
    "tests",
    "testing",
    "conftest",
    "__main__",
    "_test",
    "cli",
    "bin",
    "benchmarks",
    "examples",
    "setup",
)
MOST_MODULES, TRIES, CALL_SECONDS = 250, 6, 0.4


class TooLong(BaseException):
    pass


def too_long(*_: object) -> None:
    raise TooLong


def modules(name: str, pick: random.Random) -> list[ModuleType]:
    package = importlib.import_module(name)
    found = [package]
    names = []
    for each in pkgutil.walk_packages(getattr(package, "__path__", []), f"{name}.", onerror=lambda _: None):
        if not any(part in LEFT_OUT or part.startswith("test_") for part in each.name.split(".")):
            names.append(each.name)
    for chosen in pick.sample(names, min(len(names), MOST_MODULES)):
        with contextlib.suppress(Exception, SystemExit, TooLong):
            signal.setitimer(signal.ITIMER_REAL, 10)
            found.append(importlib.import_module(chosen))
    signal.setitimer(signal.ITIMER_REAL, 0)
    return found


def offered(found: list[ModuleType], package: str) -> list[object]:
    known: dict[int, object] = {}
    for module in found:
        for name, value in list(vars(module).items()):
            own = str(getattr(value, "__module__", "") or "").split(".")[0] == package
            if not name.startswith("_") and callable(value) and own:
                known[id(value)] = value
    return list(known.values())


def arguments(call: object, pick: random.Random) -> tuple[list[object], dict[str, object]]:
    try:
        parameters = list(inspect.signature(call).parameters.values())  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return [pick.choice(ODD) for _ in range(pick.randrange(3))], {}
    needed = [each for each in parameters if each.default is each.empty]
    positional = [
        pick.choice(ODD) for each in needed if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    named = {each.name: pick.choice(ODD) for each in needed if each.kind is each.KEYWORD_ONLY}
    optional = [each for each in parameters if each.default is not each.empty]
    if optional and pick.random() < 0.7:
        for each in pick.sample(optional, min(len(optional), pick.randrange(1, 3))):
            named[each.name] = pick.choice(ODD)
    return positional, named


def innermost(trace: TracebackType) -> TracebackType:
    while trace.tb_next:
        trace = trace.tb_next
    return trace


def told(error: BaseException) -> dict[str, object] | None:
    """Return what is true of an error that a `raise` or `assert` in Python made, or nothing for any other."""
    if error.__traceback__ is None or error.__traceback__.tb_next is None:
        return None
    last = innermost(error.__traceback__)
    code = last.tb_frame.f_code
    if code.co_code[last.tb_lasti] != opmap["RAISE_VARARGS"]:
        return None
    if type(error) is TypeError and str(error).endswith("BaseException"):
        return None  # the statement was given no exception, and the interpreter raised this in its place
    try:
        message = str(error)
    except Exception:
        return None
    error.__traceback__ = error.__traceback__.tb_next
    return {
        "text": "".join(traceback.format_exception(error)),
        "message": message,
        "error_class": type(error).__qualname__,
        "printed_class": traceback.format_exception_only(error)[-1].partition(":")[0].strip(),
        "file": code.co_filename,
        "line": last.tb_lineno,
        "function": code.co_name,
    }


def attempt(call: object, pick: random.Random) -> tuple[object, dict[str, object] | None]:
    signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
    try:
        positional, named = arguments(call, pick)
        made = call(*positional, **named)  # type: ignore[operator]
        signal.setitimer(signal.ITIMER_REAL, 0)
        return made, None
    except TooLong:
        return None, None
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return None, told(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def raised(package: str, seed: int, out: io.TextIOBase) -> None:
    pick = random.Random(f"{package} {seed}")
    everything = offered(modules(package, pick), package)
    pick.shuffle(everything)
    seen: set[tuple[object, ...]] = set()
    for _ in range(TRIES):
        for call in everything:
            with contextlib.suppress(TooLong):
                made, error = attempt(call, pick)
                errors = [error]
                if made is not None and inspect.isclass(call):
                    names = [name for name in dir(made) if not name.startswith("_")]
                    for name in pick.sample(names, min(len(names), 4)):
                        with contextlib.suppress(Exception):
                            method = getattr(made, name)
                            errors += [attempt(method, pick)[1]] if callable(method) else []
                for each in errors:
                    if each and (each["file"], each["line"]) not in seen:
                        seen.add((each["file"], each["line"]))
                        out.write(json.dumps({"package": package, **each}) + "\n")
                        out.flush()


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_long)
    raised(sys.argv[1], int(sys.argv[2]), out)
    out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
