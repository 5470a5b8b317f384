"""`explain` and `run` write the format that they are asked for."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.sarif_schema import validate
from tests.support.user_failure import JSON_RECORD, failure
from whyraise.cli.main import main


@pytest.mark.parametrize(
    ("option", "start"), [("--github", b"::error "), ("--sarif", b"{\n"), ("--jsonl", b'{"file": "src, a')]
)
def test_explain_prints_each_format(option: str, start: bytes, folder: Path, capsysbinary: Any) -> None:
    (folder / "error.log").write_text(failure(folder), "utf-8")
    assert main(["explain", option, "error.log"]) == 0
    assert capsysbinary.readouterr().out.startswith(start)


def run(folder: Path, text: str, code: int, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a command that writes a text to standard error and exits with a code, under `whyraise run`."""
    program = f"import sys; sys.stderr.write({text!r}); sys.exit({code})"
    command = [sys.executable, "-m", "whyraise", "run", *options, "--", sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_a_failed_run_is_annotated_on_github_and_written_to_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = folder / "summary.md"
    summary.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = run(folder, failure(folder), 3, "--github", "--sarif", "out.sarif", "--jsonl", "-")
    assert (done.returncode, done.stdout) == (3, "")
    hint, command, line = done.stderr.removeprefix(failure(folder)).rsplit("\n", 3)[:3]
    assert hint.startswith("whyraise: exact: Expecting value")
    assert command.startswith("::error file=src%2C a/train%25.py,line=7,")
    assert json.loads(line)["code"] == JSON_RECORD
    assert summary.read_text("utf-8").startswith("before\n# Expecting value")
    validate(json.loads((folder / "out.sarif").read_text("utf-8")))


def test_a_successful_run_writes_files_without_findings(folder: Path) -> None:
    done = run(folder, failure(folder), 0, "--github", "--sarif", "out.sarif", "--jsonl", "out.jsonl")
    assert (done.returncode, done.stderr) == (0, failure(folder))
    [log] = json.loads((folder / "out.sarif").read_text("utf-8"))["runs"]
    assert (log["results"], (folder / "out.jsonl").read_text("utf-8")) == ([], "")


def test_a_file_that_cannot_be_written_does_not_change_the_exit_code(folder: Path) -> None:
    done = run(folder, failure(folder), 3, "--sarif", "no/such/folder")
    assert done.returncode == 3
    assert "the failure cannot be explained: [Errno 2]" in done.stderr
