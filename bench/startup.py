"""What `whyraise explain` costs from start to answer, in bare Python starts, interleaved in one run.

Measured in an environment of its own, where the package is a plain folder with compiled modules as `pip install` leaves
it: an editable install slows bare Python down and would flatter the ratio.
"""

import compileall
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXTS = {
    "something known": "TypeError: Blocking backward sync is only possible if the module passed to `x.no_backward_sync`"
    " is wrapped in `DistributedDataParallel`. Got: torch.nn.Linear.\n",
    "nothing known": "ValueError: nothing that any record knows\n",
}
ROUNDS = 40
LIMIT = 4.0


def installed(folder: Path) -> Path:
    """Make an environment that holds the package, and return its Python."""
    venv.create(folder, with_pip=False)
    [site] = folder.rglob("site-packages")
    left_out = shutil.ignore_patterns("__pycache__", "_records")
    shutil.copytree(ROOT / "app" / "whyraise", site / "whyraise", ignore=left_out)
    shutil.copytree(ROOT / "records", site / "whyraise" / "_records")
    (site / "dependencies.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path), "utf-8")
    compileall.compile_dir(site, quiet=1)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def run(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=False)
    return time.perf_counter() - start


def main() -> int:
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        python = str(installed(Path(folder, "env")))
        environment = {**os.environ, "WHYRAISE_CACHE_DIR": folder}
        for name, text in TEXTS.items():
            paste = Path(folder, "error.log")
            paste.write_text(text, "utf-8")
            bare = [python, "-c", "pass"]
            explain = [python, "-c", "from whyraise.cli.main import main; main()", "explain", str(paste)]
            run(explain, environment)  # the first start builds the knowledge file
            times = [(run(bare, environment), run(explain, environment)) for _ in range(ROUNDS)]
            bares, explains = (statistics.median(column) for column in zip(*times, strict=True))
            worst = max(worst, explains / bares)
            print(f"{name}: bare {bares * 1000:.1f} ms, explain {explains * 1000:.1f} ms, ratio {explains / bares:.2f}")
    print(f"worst ratio {worst:.2f}, limit {LIMIT}")
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
