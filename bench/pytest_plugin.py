"""What the pytest plugin costs a run of 1,000 tests that pass, as the ratio to the same run without it.

The runs come in pairs, each in turn first, and every pair gives a ratio. Nothing else is loaded into pytest, and the
package is a plain folder as `pip install` leaves it. The interval is the middle 95 % of medians of pairs drawn again.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from startup import installed

TESTS, FILES, PAIRS, LIMIT = 1000, 20, 60, 1.02
DRAWS = 4000


def seconds(command: list[str], folder: str) -> float:
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "WHYRAISE_CACHE_DIR": folder}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert f"{TESTS} passed" in done.stdout
    return time.perf_counter() - start


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
        with_it = [*without, "-p", "whyraise.pytest_plugin"]
        seconds(without, folder), seconds(with_it, folder)
        ratios = []
        for number in range(PAIRS):
            first, second = (without, with_it) if number % 2 else (with_it, without)
            times = {id(command): seconds(command, folder) for command in (first, second)}
            ratios.append(times[id(with_it)] / times[id(without)])
    median, (low, high) = statistics.median(ratios), interval(ratios)
    print(
        f"{TESTS} passing tests, {PAIRS} pairs: median ratio {median:.4f}, 95 % interval {low:.4f} to {high:.4f}, ",
        end="",
    )
    print(f"limit {LIMIT}")
    return 1 if median > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
