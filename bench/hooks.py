"""For how long a hook holds a program that fails, measured around the hook in the program itself, and what it knew.

Three cases in turn: the cache is there, the cache is empty, and a server is named that never answers.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from startup import installed

ROUNDS, LIMIT = 40, 0.2
FAIL = """
import sys, time
from whyraise.hooks import install
error = None
sys.excepthook = lambda *_: None
install(sys.argv[1])
try:
    a, b = [1, 2, 3]
except ValueError as raised:
    error = raised
start = time.perf_counter()
sys.excepthook(ValueError, error, error.__traceback__)
print(time.perf_counter() - start, len(getattr(error, "__notes__", [])))
"""


def held(python: str, cache: str, url: str = "") -> tuple[float, int]:
    """Return the seconds that a hook took, and the notes that it added."""
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": cache, "WHYRAISE_MINE": "off"}
    done = subprocess.run([python, "-c", FAIL, url], env=environment, capture_output=True, text=True, check=True)
    seconds, notes = done.stdout.split()
    return float(seconds), int(notes)


def main() -> int:
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as silent:
        python = str(installed(Path(folder, "env")))
        warm, url = str(Path(folder, "cache")), f"http://127.0.0.1:{silent.getsockname()[1]}"
        filled = subprocess.run(
            [python, "-m", "whyraise", "explain"],
            input=b"",
            stdout=subprocess.DEVNULL,
            env={**os.environ, "WHYRAISE_CACHE_DIR": warm},
        )
        assert filled.returncode == 1
        for name in ("cache there", "cache empty", "server silent"):
            caches = [warm if name != "cache empty" else str(Path(folder, f"cache{n}")) for n in range(ROUNDS)]
            found = [held(python, cache, url if name == "server silent" else "") for cache in caches]
            seconds = [each for each, _ in found]
            worst = max(worst, *seconds)
            print(
                f"{name}: median {statistics.median(seconds) * 1000:.0f} ms, longest {max(seconds) * 1000:.0f} ms, "
                f"a note {sum(notes for _, notes in found)} of {ROUNDS} times"
            )
    print(f"longest {worst * 1000:.0f} ms, limit {LIMIT * 1000:.0f} ms")
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
