"""Records that were written to stop what reads them: each command ends soon, and no other record suffers."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import WHYRAISE
from tests.support.scenarios import SCENARIO, after, folder_of

# Python's `re` needs 2 ** 60 steps to find that this message lacks a line end after the last `a`.
NESTED, LONG = "(a+)+$", "a" * 60 + "!"
WITH_SANDBOX = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed: make system")


def whyraise(*words: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a command as a user does; a command that does not end fails the test."""
    return subprocess.run([*WHYRAISE, *words], capture_output=True, text=True, timeout=timeout, check=False)


@WITH_SANDBOX
def test_a_pattern_on_which_pythons_re_never_ends_does_not_stop_a_proof(tmp_path: Path) -> None:
    scenario = SCENARIO.replace('f"the amount {text} is no decimal number"', repr(LONG))
    folder_of(tmp_path, scenario, messagePattern=NESTED, errorMessage="aaa")
    done = whyraise("prove", str(tmp_path), "--json")
    assert (done.returncode, done.stderr) == (1, "")
    [proof] = json.loads(done.stdout)
    assert (proof["verdict"], proof["stages"][0]["reason"]) == (
        "notReproduced", f"rank 0: another message: ValueError: {LONG}; rank 1: another message: ValueError: {LONG}",
    )  # fmt: skip


def prove_error(folder: Path) -> str:
    """Return what `whyraise prove` says of a folder that it must refuse, without the folder's own path."""
    done = whyraise("prove", str(folder))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    return done.stderr.replace(str(folder), "FOLDER").strip()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("RANKS = 2", f"RANKS = {10**9}", "RANKS must be above 0 and at most 32"),
        ("LIMIT = 2", "LIMIT = 1e9", "LIMIT must be above 0 and at most 300"),
        ("LIMIT = 2", "LIMIT = 1e999", "LIMIT must be above 0 and at most 300"),
        ("RANKS = 2", "RANKS = " + "-" * 100_000 + "2", "is nested too deeply"),
        ("RANKS = 2", "RANKS = " + "9" * 5000, "Exceeds the limit"),
    ],
)
def test_a_scenario_that_asks_for_more_than_a_machine_has_is_refused(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    folder_of(tmp_path)
    (tmp_path / "scenario.py").write_text(SCENARIO.replace(old, new))
    assert reason in prove_error(tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 200_000, "record.json is nested too deeply to be a record"),
        ('{"id": "a", "id": "b"}', "record.json  has the key 'id' more than once"),
        ('{"record": []}', "`record` must be an object"),
        ('{"id": 1}', "id, messagePattern, errorMessage must be a text"),
        ('{"id": "a", "messagePattern": "(", "errorMessage": ""}', "the pattern is not a valid regular expression"),
    ],
)
def test_a_record_that_is_none_is_refused_in_one_sentence(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text(text)
    assert reason in prove_error(tmp_path)


def test_a_pipe_instead_of_a_record_is_refused_instead_of_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "record.json")
    assert prove_error(tmp_path).endswith("record.json is not a file.")


@WITH_SANDBOX
def test_what_a_snippet_raises_cannot_control_the_terminal(tmp_path: Path) -> None:
    folder_of(tmp_path, exampleFix=after("raise ValueError('\\x1b]0;owned\\x07')"))
    done = whyraise("prove", str(tmp_path))
    assert "after  rank 0: ValueError: \N{REPLACEMENT CHARACTER}]0;owned" in done.stdout
    assert "\x1b" not in done.stdout


@WITH_SANDBOX
def test_a_library_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    folder_of(tmp_path, SCENARIO.replace('["json", "decimal"]', '["json", "no_such_library"]'))
    assert "No module named 'no_such_library'" in prove_error(tmp_path)
