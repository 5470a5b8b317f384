"""What pipelines and editors are told: SARIF, GitHub's workflow commands and summary, JSON Lines and their matcher."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.readme import SNIPPETS
from tests.support.repository import RECORDS
from tests.support.sarif_rules import LOG
from tests.support.seed import SEED, TRACEBACK
from whyraise.cli.main import main
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import github, jsonl, sarif
from whyraise.reporters.annotation import annotate

LOGS = sorted(RECORDS.glob("*/*/*/*/*.log"))
WINDOWS = '  File "C:\\a b\\ü%1.py", line 3, in f\nValueError: too many values to unpack (expected 2)\n'
# A message that would be commands and fences, and steer a terminal.
STEERING = "Command '\x07::stop-commands::x %0A ``` \u202e' returned non-zero exit status 1."
RECORD = "b388fb85df50a823"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the file that the traceback names."""
    (tmp_path / "src, a").mkdir()
    (tmp_path / "src, a" / "train%.py").write_text("", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WHYRAISE_MINE", "off")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def failure(folder: Path) -> str:
    """A failure of the file in the current folder, raised below the standard library."""
    return (
        f'Traceback (most recent call last):\n  File "{folder}/src, a/train%.py", line 7, in load\n'
        '    json.loads(text)\n  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n'
        '    raise JSONDecodeError("Expecting value", s, err.value) from None\n'
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n"
    )


def test_every_answer_makes_a_sarif_log_that_keeps_the_rules(bundled: Catalog) -> None:
    texts = [path.read_text("utf-8") for path in LOGS] + ["", "nothing", WINDOWS, STEERING, TRACEBACK]
    results = 0
    for text in texts:
        for log in ("", "build log #1.txt"):
            made = json.loads(sarif.log(annotate(explain(text, bundled), "/nowhere", log)))
            jsonschema.validate(made, LOG)
            results += len(made["runs"][0]["results"])
    assert results > len(LOGS)


def test_a_sarif_result_stands_at_the_users_own_line_with_the_raising_frame_first(
    folder: Path, bundled: Catalog
) -> None:
    [run] = json.loads(sarif.log(annotate(explain(failure(folder), bundled), str(folder))))["runs"]
    [result], [rule] = run["results"], run["tool"]["driver"]["rules"]
    assert result["ruleId"] == rule["id"] == "891c392144eab188"
    assert places(result["locations"]) == [("src%2C%20a/train%25.py", 7)]
    frames = places(frame["location"] for frame in result["stacks"][0]["frames"])
    assert frames[0] == ("file:///usr/lib/python3.11/json/decoder.py", 355)
    assert result["properties"] == {
        "confidence": "exact", "kind": "fix", "captures": {"line": "1", "column": "1", "position": "0"}, "ranks": [],
        "proof": "Proven on 1 rank, 2026-12-01.",
    }  # fmt: skip
    assert rule["help"]["markdown"].startswith("# Expecting value")


def places(locations: Any) -> list[tuple[str, int]]:
    physical = [each["physicalLocation"] for each in locations]
    return [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in physical]


@pytest.mark.parametrize(
    ("text", "log", "place"),
    [
        ("ValueError: too many values to unpack (expected 2)", "", "::error title="),
        ("\nValueError: too many values to unpack (expected 2)", "logs/a:b", "::error file=logs/a%3Ab,line=2,title="),
        (WINDOWS, "", "::error file=C%3A/a b/ü%251.py,line=3,title="),
    ],
)
def test_a_finding_without_a_line_of_the_users_own_stands_where_one_can_look(
    text: str, log: str, place: str, bundled: Catalog
) -> None:
    said = github.commands(annotate(explain(text, bundled), "/nowhere", log))
    assert said.startswith(f"{place}too many values to unpack (expected 2)::whyraise")


def test_a_workflow_command_is_one_line_whatever_was_pasted(folder: Path, bundled: Catalog) -> None:
    frame = f'  File "{folder}/src, a/train%.py", line 7, in <module>\n'
    text = f"Traceback (most recent call last):\n{frame}subprocess.CalledProcessError: {STEERING}\n"
    [command] = github.commands(annotate(explain(text, bundled), str(folder))).splitlines()
    properties, _, body = command.removeprefix("::warning ").partition("::")
    title = "Command '�%3A%3Astop-commands%3A%3Ax %250A ``` �' returned non-zero exit status 1."
    assert properties == f"file=src%2C a/train%25.py,line=7,title={title}"
    assert "%0Acommand = �::stop-commands::x %250A ``` �%0A" in body


def test_no_more_errors_are_annotated_than_github_shows(folder: Path, bundled: Catalog) -> None:
    found = annotate(explain(failure(folder), bundled), str(folder)) * 30
    assert len(github.commands(found).splitlines()) == 10


def test_the_summary_of_the_step_is_the_whole_answer_and_fits(folder: Path, bundled: Catalog) -> None:
    answer = explain(failure(folder), bundled)
    assert github.summary(answer).startswith("# Expecting value")
    long = answer.findings[0]._replace(message="x" * 300_000)
    cut = github.summary(answer._replace(findings=(answer.findings[0], long, long)))
    assert len(cut) < 1 << 19
    assert cut.endswith("More findings exist; ask for a higher limit.\n\n")
    assert github.summary(explain("nothing", bundled)) == ""


def matched(line: str) -> tuple[str, ...]:
    """Return what the README's problem matcher reads of a line."""
    [task] = [json.loads(text) for kind, text in SNIPPETS if "problemMatcher" in text]
    pattern = task["problemMatcher"]["pattern"]
    found = re.match(pattern["regexp"], line)
    assert found
    return tuple(found[pattern[name]] for name in ("file", "line", "column", "severity", "code", "message"))


def test_the_problem_matcher_reads_every_line(folder: Path, bundled: Catalog) -> None:
    [line] = jsonl.lines(annotate(explain(failure(folder), bundled), str(folder))).splitlines()
    message = "Expecting value: line 1 column 1 (char 0)"
    assert matched(line) == ("src, a/train%.py", "7", "1", "error", "891c392144eab188", message)
    said = "Command '[\"a\\\"}, \"message\": 'b']' returned non-zero exit status 1."
    [line] = jsonl.lines(annotate(explain(f"subprocess.CalledProcessError: {said}", bundled), "")).splitlines()
    assert json.loads(f'"{matched(line)[5]}"') == said


@pytest.mark.parametrize(
    ("form", "begin"), [("--github", b"::error "), ("--sarif", b"{\n"), ("--jsonl", b'{"file": "src, a')]
)
def test_explain_prints_each_form(form: str, begin: bytes, folder: Path, capsysbinary: Any) -> None:
    (folder / "error.log").write_text(failure(folder), "utf-8")
    assert main(["explain", form, "error.log"]) == 0
    assert capsysbinary.readouterr().out.startswith(begin)


def run(folder: Path, text: str, code: int, *options: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.stderr.write({text!r}); sys.exit({code})"
    command = [sys.executable, "-m", "whyraise", "run", *options, "--", sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_a_failed_run_is_told_to_github_and_written_to_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = folder / "summary.md"
    summary.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = run(folder, failure(folder), 3, "--github", "--sarif", "out.sarif", "--jsonl", "-")
    assert (done.returncode, done.stdout) == (3, "")
    hint, command, line = done.stderr.removeprefix(failure(folder)).rsplit("\n", 3)[:3]
    assert hint.startswith("whyraise: exact: Expecting value")
    assert command.startswith("::error file=src%2C a/train%25.py,line=7,")
    assert json.loads(line)["code"] == "891c392144eab188"
    assert summary.read_text("utf-8").startswith("before\n# Expecting value")
    jsonschema.validate(json.loads((folder / "out.sarif").read_text("utf-8")), LOG)


def test_after_a_success_the_files_are_there_and_empty(folder: Path) -> None:
    done = run(folder, failure(folder), 0, "--github", "--sarif", "out.sarif", "--jsonl", "out.jsonl")
    assert (done.returncode, done.stderr) == (0, failure(folder))
    [log] = json.loads((folder / "out.sarif").read_text("utf-8"))["runs"]
    assert (log["results"], (folder / "out.jsonl").read_text("utf-8")) == ([], "")


def test_a_file_that_cannot_be_written_leaves_the_exit_code(folder: Path) -> None:
    done = run(folder, failure(folder), 3, "--sarif", "no/such/folder")
    assert done.returncode == 3
    assert "the failure cannot be explained: [Errno 2]" in done.stderr


def test_what_is_read_from_standard_input_has_no_file(folder: Path) -> None:
    text = "ValueError: too many values to unpack (expected 2)"
    command = [sys.executable, "-m", "whyraise", "explain", "--jsonl"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True, env=os.environ)
    assert matched(done.stdout)[:2] == ("", "1")
    assert matched(done.stdout)[4] == RECORD
    assert SEED not in done.stdout
