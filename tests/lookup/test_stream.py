"""Logs of any size get the same answer as when they are read whole, in bounded memory."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pasted import NOISES, each_line
from tests.support.seed import SEED, TRACEBACK
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Explanation
from whyraise.lookup.stream import Window, explain_stream, windows
from whyraise.reading.paste import Span

LINE = "2026-12-01 10:00:00,123 INFO trainer: step 12 loss 0.123 throughput 1234.5 samples/s\n"
COMMON = "2026-12-01 10:00:00,123 INFO trainer: this is only possible if the module passed to it is small\n"


def comparable(answer: Explanation) -> list[object]:
    """Return an answer without offsets of the cleaned text, which each window counts for itself."""
    findings = [found._replace(exception=None) for found in answer.findings]
    read = [(block.class_name, block.message, block.relation, block.rank) for block in answer.exceptions]
    return [findings, read, answer.wrapper, answer.truncated, [nearest.record.id for nearest in answer.nearest]]


LOGS = {
    "late": LINE * 300 + TRACEBACK + LINE * 100,
    "twice": LINE * 100 + TRACEBACK + LINE * 200 + TRACEBACK + LINE * 50,
    "two errors": LINE * 90 + TRACEBACK + LINE * 90 + "ValueError: Default process group has not been initialized\n",
    "nothing": LINE * 400,
    "something unknown": LINE * 200 + "ValueError: the moon is full\n" + LINE * 200,
    "a wrapper": LINE * 200 + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n\n" + LINE * 200,
    "one long line": "x" * 60_000 + " " + TRACEBACK,
    **{name: LINE * 150 + text + LINE * 150 for name, text in NOISES.items() if "json" not in name},
}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_read_window_by_window_gets_the_same_answer_as_a_whole_text(name: str, bundled: Catalog) -> None:
    text = LOGS[name]
    pieces = [text[at : at + 1000] for at in range(0, len(text), 1000)]
    assert comparable(explain_stream(pieces, bundled, size=16_000)) == comparable(explain(text, bundled))


@pytest.mark.parametrize("seed", range(20))
def test_windows_cover_a_text_judge_each_offset_once_and_know_their_line_numbers(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join("y" * chance.randrange(120) + "\n" for _ in range(400)) + "end"
    cuts = [text[at : at + 700] for at in range(0, len(text), 700)]
    found = list(windows(cuts, 5000, 1000))
    assert [text[window.start : window.start + len(window.text)] for window in found] == [
        window.text for window in found
    ]
    assert [text.count("\n", 0, window.start) + 1 for window in found] == [window.line for window in found]
    judged = [(window.start + window.judged.start, window.start + window.judged.end) for window in found]
    assert [start for start, _ in judged] == [0, *(end for _, end in judged[:-1])]
    assert judged[-1][1] == len(text)


def test_a_short_text_is_one_window() -> None:
    assert list(windows(["a\n", "b"], 100, 10)) == [Window("a\nb", 0, 1, Span(0, 3))]


def peak(size: int, hits: int, folder: Path) -> tuple[int, list[tuple[str, str, list[str]]]]:
    """Return the memory in MiB that the command needs for a log with its error at the end, and what it finds."""
    path = folder / "big.log"
    with path.open("w") as file:
        for _ in range(hits):
            file.write(COMMON)
        while file.tell() < size:
            file.write(LINE * 1000)
        file.write(TRACEBACK)
    # `getrusage` is no use: for a child, it includes the memory of its parent at the fork.
    command = "import re, sys; from whyraise.cli.main import main; main(['explain', '--json', sys.argv[1]]);"
    command += "print(re.search('VmHWM:[^0-9]*([0-9]+)', open('/proc/self/status').read())[1], file=sys.stderr)"
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", command, str(path)], capture_output=True, text=True, env=environment, check=False
    )
    findings = json.loads(done.stdout)["findings"]
    path.unlink()
    return int(done.stderr) // 1024, [
        (finding["record"]["id"], finding["confidence"], [capture["value"] for capture in finding["captures"]])
        for finding in findings
    ]


RIGHT = [(SEED, "exact", ["_DDPBackwardSyncControl", "torch.nn.Linear"])]


def test_a_message_after_many_hits_of_a_common_literal_is_found_in_bounded_memory(tmp_path: Path) -> None:
    used, found = peak(30_000_000, 20_000, tmp_path)
    assert (found, used <= 200) == (RIGHT, True)


@pytest.mark.long
def test_a_message_at_the_end_of_200_mb_is_found_in_200_mb_of_memory(tmp_path: Path) -> None:
    used, found = peak(200_000_000, 100_000, tmp_path)
    assert (found, used <= 200) == (RIGHT, True)


def test_a_log_of_ranks_keeps_its_occurrences_in_order(bundled: Catalog) -> None:
    text = LINE * 100 + "".join(each_line(f"[rank{rank}]: ") + LINE * 80 for rank in range(4))
    [found] = explain_stream([text], bundled, size=16_000).findings
    assert [occurrence.rank for occurrence in found.occurrences] == [0, 1, 2, 3]
