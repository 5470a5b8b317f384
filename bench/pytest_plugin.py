"""What the pytest plugin costs a run of 1,000 tests that pass, as the ratio to the same run without it.

Runs are interleaved. A pair is four of them, with, without, without, with or the other way round, of which the shorter
of each two counts, since other work on the machine only ever adds time; every pair gives a ratio. Nothing else is
loaded into pytest, and the package is a plain folder as `pip install` leaves it. The interval is the middle 95 % of the
medians of pairs that are drawn again (bootstrap). The ratio of processor time, user and system, stands beside it.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from startup import installed

TESTS, FILES, PAIRS, LIMIT = 1000, 20, 50, 1.02
DRAWS = 4000


class Cost(NamedTuple):
    """What one run took: seconds by the clock, and of the processor."""

    clock: float
    processor: float


def cost(command: list[str], folder: str) -> Cost:
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "WHYRAISE_CACHE_DIR": folder}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert f"{TESTS} passed" in done.stdout
    return Cost(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def ratios(with_it: list[str], without: list[str], folder: str) -> list[Cost]:
    """Return the ratios of each pair."""
    cost(without, folder), cost(with_it, folder)  # compiles the tests
    found = []
    for number in range(PAIRS):
        first, second = (without, with_it) if number % 2 else (with_it, without)
        costs: dict[bool, list[Cost]] = {True: [], False: []}
        for command in (first, second, second, first):
            costs[command is with_it].append(cost(command, folder))
        best = {kind: [min(column) for column in zip(*each, strict=True)] for kind, each in costs.items()}
        found.append(Cost(best[True][0] / best[False][0], best[True][1] / best[False][1]))
    return found


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return where the median of the ratios lies with 95 % confidence (bootstrap)."""
    drawn = random.Random(1)
    medians = sorted(statistics.median(drawn.choices(ratios, k=len(ratios))) for _ in range(DRAWS))
    return medians[int(DRAWS * 0.025)], medians[int(DRAWS * 0.975)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        python = str(installed(Path(folder, "env")))
        for number in range(FILES):
            tests = "".join(f"def test_{n}():\n    assert {n} == {n}\n\n" for n in range(TESTS // FILES))
            Path(folder, f"test_{number}.py").write_text(tests, "utf-8")
        without = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--ignore=env", "."]
        found = ratios([*without, "-p", "whyraise.pytest_plugin"], without, folder)
    for name, column in zip(("processor time", "time"), reversed(list(zip(*found, strict=True))), strict=True):
        median, (low, high) = statistics.median(column), interval(list(column))
        print(f"{name}: median ratio {median:.4f}, 95 % interval {low:.4f} to {high:.4f}")
    print(f"{TESTS} passing tests, {PAIRS} pairs, limit {LIMIT}")
    return 1 if median > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
