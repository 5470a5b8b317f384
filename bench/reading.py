"""What reading a paste costs, cleaning and exceptions together: 5 KB, 10 MB, and 1 MB of what layers like least."""

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.support.noises import NOISES, Noise
from tests.support.seed import TRACEBACK

from whyraise.reading.exceptions import parse
from whyraise.reading.paste import clean

FRAME = (
    '  File "/home/user/.venv/lib/python3.11/site-packages/lightning/pytorch/trainer/trainer.py", line 577, in fit\n'
    "    model = _maybe_unwrap_optimized(model)\n"
)
LONG = TRACEBACK.replace("  File", FRAME * 28 + "  File", 1)
LOG = "2026-12-01 10:00:00,123 INFO trainer: step 12 loss 0.123 lr 1e-4 throughput 1234.5 samples/s epoch 1\n"
# What makes a layer look, again and again.
HOSTILE = {
    "escape characters": "\x1b[",
    "carriage returns": "10%\r",
    "tags": "<span class=",
    "entities": "&#38;&lt;",
    "links": 'File "[x](https:',
    "JSON escapes": '\\\\n  File \\\\"',
    "JSON strings": '{"m": "a\\nValueError: b"}\n',
    "quotes": "> > >\n",
    "heads": "x Traceback (most recent call last):\n",
    "many prefixes": "".join(f"{n % 26:c}k{n} Traceback (most recent call last):\n" for n in range(97, 400)),
    "ranks": "[rank1]: [rank2]: ",
    "names": "a| Traceback (most recent call last):\na|   File",
    "newest first": '  File "x", line 1\nTraceback (most recent call last):\n',
    "boxes": "│╭─ │\n",
    "groups": "  | +---------------- 1 ----------------\n",
    "classes": "a.b.Error: ",
    "paths": "/a/b/c.py:12: in f",
    "cut paths": "/" + "a" * 40 + "\n",
    "frames without an end": FRAME,
    "rules": "ChildFailedError:\n" + "=" * 30 + "\n",
}


def seconds(text: str, rounds: int) -> float:
    """Return the least time that reading a text took."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        parse(clean(text))
        times.append(time.perf_counter() - start)
    return min(times)


def grown(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def noisy(noise: Noise, size: int) -> str:
    return noise.add(grown(LONG, size))


def worst(texts: Mapping[str, Callable[[int], str]]) -> str:
    """Return how many times longer ten times the text takes, where that is most."""
    ratios = {name: seconds(make(1_000_000), 2) / seconds(make(100_000), 4) for name, make in texts.items()}
    name = max(ratios, key=ratios.__getitem__)
    return f"worst ratio {ratios[name]:.1f} ({name})"


def main() -> None:
    print(f"{len(LONG)} characters of traceback: {seconds(LONG, 200) * 1000:.2f} ms")
    for name, text in {
        "log with a traceback": LOG * 50_000 + LONG + LOG * 50_000,
        "log": grown(LOG, 10_000_000),
        "tracebacks alone": grown(LONG, 10_000_000),
    }.items():
        print(f"10 MB, {name}: {len(text) / 1e6 / seconds(text, 3):.1f} MB/s")
    print("100 KB to 1 MB of what layers like least:", worst({n: partial(grown, unit) for n, unit in HOSTILE.items()}))
    print("100 KB to 1 MB through each noise:", worst({n: partial(noisy, noise) for n, noise in NOISES.items()}))


if __name__ == "__main__":
    main()
