"""What proofs cost: the median of warm stages, all records with their imports, and the memory of all processes."""

import contextlib
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from whyraise.knowledge.catalog import open_sources
from whyraise.lookup.explain import explain
from whyraise.prove.runner import Runner
from whyraise.prove.sandbox import choose
from whyraise.prove.scenario import read_folder
from whyraise.prove.stages import prove

RECORDS = Path(__file__).parent.parent / "records"


def held(pid: int) -> int:
    """Return the bytes that a process and all below it hold, what they share divided among them."""
    total = 0
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total = int(line.split()[1]) * 1024
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        total += sum(held(int(child)) for child in children)
    return total


def main() -> None:
    folders = [read_folder(path.parent) for path in sorted(RECORDS.rglob("record.json"))]
    imports = list(dict.fromkeys(name for each in folders if each.scenario for name in each.scenario.imports))
    stages: list[float] = []
    peak, running = [0], [True]

    def watch() -> None:
        while running[0]:
            peak[0] = max(peak[0], held(os.getpid()))
            time.sleep(0.1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as cache, Runner(choose(unconfined=False), imports) as runner:
        imported = time.perf_counter() - started
        catalog = open_sources([str(RECORDS)], cache)

        def timed(request: dict[str, object]) -> list[dict[str, object]]:
            start = time.perf_counter()
            answer = runner.run(request)
            stages.append(time.perf_counter() - start)
            return answer

        def blame(text: str) -> str:
            return explain(text, catalog, limit=1).findings[0].record.id

        for folder in folders:
            if folder.scenario:
                prove(folder, folder.scenario.ranks, timed, blame)
    whole = time.perf_counter() - started
    running[0] = False
    watcher.join()
    print(f"{len(stages)} warm stages: median {statistics.median(stages):.2f} s, longest {max(stages):.2f} s")
    print(f"{len(folders)} records: {whole:.1f} s, {imported:.1f} s of them imports, {peak[0] / 1e9:.2f} GB at most")


if __name__ == "__main__":
    main()
