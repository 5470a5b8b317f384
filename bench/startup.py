"""What `whyraise explain` costs at its start, in bare Python starts, interleaved in one run."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TEXT = "ValueError: nothing that any record knows\n"
ROUNDS = 40
LIMIT = 4.0


def run(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=False)
    return time.perf_counter() - start


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        paste = Path(folder, "error.log")
        paste.write_text(TEXT, "utf-8")
        # Compiled modules are kept, as `pip install` does, and the knowledge file is there after the first start.
        environment = {**os.environ, "WHYRAISE_CACHE_DIR": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        bare = [sys.executable, "-c", "pass"]
        explain = [str(Path(sys.executable).with_name("whyraise")), "explain", str(paste)]
        run(explain, environment)
        times = [(run(bare, environment), run(explain, environment)) for _ in range(ROUNDS)]
    bares, explains = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = explains / bares
    print(f"bare {bares * 1000:.1f} ms, explain {explains * 1000:.1f} ms, ratio {ratio:.2f}, limit {LIMIT}")
    return 1 if ratio > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
