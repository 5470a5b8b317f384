"""What ten times the text costs, for texts made to be slow: linear is about 10, quadratic is 100."""

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.support import hostile_texts
from tests.support.repository import RECORDS

from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.lookup.explain import explain

# Above this a cost is called quadratic; small texts have a fixed cost that pulls the ratio down.
LIMIT = 20


def cost(text: str, catalog: Catalog) -> float:
    """Return the median of three runs, in seconds of this thread."""
    costs = []
    for _ in range(3):
        start = time.thread_time()
        explain(text, catalog)
        costs.append(time.thread_time() - start)
    return statistics.median(costs)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        build([RECORDS], f"{folder}/records.db")
        catalog = open_file(f"{folder}/records.db", folder)
        worst = 0.0
        for name, make in hostile_texts.TEXTS.items():
            small, large = cost(make(100_000), catalog), cost(make(1_000_000), catalog)
            worst = max(worst, large / small)
            print(f"{name:36} 100 KB {small * 1000:7.1f} ms   1 MB {large * 1000:7.1f} ms   ratio {large / small:5.1f}")
        catalog.close()
    print(f"worst ratio {worst:.1f}, limit {LIMIT}")
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
