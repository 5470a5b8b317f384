"""JSON Lines can be read by the problem matcher in the README."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.readme import SNIPPETS
from tests.support.seed import SEED
from tests.support.user_failure import JSON_RECORD, UNPACK, UNPACK_RECORD, failure
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import jsonl
from whyraise.reporters.annotation import annotate


def match(line: str) -> tuple[str, ...]:
    """Return file, line, column, severity, code and message, as the README's problem matcher reads them."""
    [task] = [json.loads(text) for kind, text in SNIPPETS if "problemMatcher" in text]
    pattern = task["problemMatcher"]["pattern"]
    groups = re.match(pattern["regexp"], line)
    assert groups
    return tuple(groups[pattern[name]] for name in ("file", "line", "column", "severity", "code", "message"))


def test_the_problem_matcher_reads_every_line(folder: Path, bundled: Catalog) -> None:
    [line] = jsonl.lines(annotate(explain(failure(folder), bundled), str(folder))).splitlines()
    message = "Expecting value: line 1 column 1 (char 0)"
    assert match(line) == ("src, a/train%.py", "7", "1", "error", JSON_RECORD, message)
    quoted = "Command '[\"a\\\"}, \"message\": 'b']' returned non-zero exit status 1."
    [line] = jsonl.lines(annotate(explain(f"subprocess.CalledProcessError: {quoted}", bundled), "")).splitlines()
    assert json.loads(f'"{match(line)[5]}"') == quoted


def test_a_finding_in_standard_input_has_no_file(folder: Path) -> None:
    command = [sys.executable, "-m", "whyraise", "explain", "--jsonl"]
    done = subprocess.run(command, input=UNPACK, capture_output=True, text=True, timeout=60, check=True, env=os.environ)
    assert match(done.stdout)[:2] == ("", "1")
    assert match(done.stdout)[4] == UNPACK_RECORD
    assert SEED not in done.stdout
