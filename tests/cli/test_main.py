"""The commands of `whyraise`: what they print, their exit codes, and how fast and safely they start."""

import gc
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.records import record
from tests.support.repository import RECORDS
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.cli import main
from whyraise.cli.arguments import COMMANDS
from whyraise.version import VERSION


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("WHYRAISE_SOURCES", raising=False)


def run(*arguments: str | Path) -> int:
    try:
        return main.main([str(argument) for argument in arguments])
    except SystemExit as error:
        return int(error.code or 0)


def paste(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "error.log"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_explain_prints_the_known_error_and_exits_with_0(tmp_path: Path, capsysbinary: Any) -> None:
    assert run("explain", paste(tmp_path, TRACEBACK)) == 0
    output = capsysbinary.readouterr().out.decode()
    assert output.startswith("Blocking backward sync is only possible")
    assert "`module.__class__.__name__` = `torch.nn.Linear`" in output
    assert "\x1b" not in output


def test_explain_prints_that_nothing_is_known_and_exits_with_1(tmp_path: Path, capsysbinary: Any) -> None:
    assert run("explain", paste(tmp_path, "ValueError: never seen")) == 1
    assert capsysbinary.readouterr().out.decode().startswith("Nothing known\n")


def test_json_is_the_same_object_as_over_http(tmp_path: Path, capsysbinary: Any) -> None:
    assert run("explain", "--json", paste(tmp_path, MESSAGE)) == 0
    body = json.loads(capsysbinary.readouterr().out)
    assert [(finding["confidence"], finding["record"]["id"]) for finding in body["findings"]] == [("likely", SEED)]


def test_md_prints_markdown(tmp_path: Path, capsysbinary: Any) -> None:
    assert run("explain", "--md", paste(tmp_path, MESSAGE)) == 0
    assert capsysbinary.readouterr().out.decode().startswith("# Blocking backward sync")


def test_explain_reads_standard_input_and_replaces_invalid_utf_8(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: Any
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\x00\n" + MESSAGE.encode())))
    assert run("explain") == 0
    assert b"torch.nn.Linear" in capsysbinary.readouterr().out


def test_control_sequences_of_the_paste_are_not_printed(tmp_path: Path, capsysbinary: Any) -> None:
    text = MESSAGE.replace("torch.nn.Linear", "x\x1b]0;owned\x07\u202ey")
    run("explain", paste(tmp_path, text))
    output = capsysbinary.readouterr().out.decode()
    assert not {"\x1b", "\x07", "\u202e"} & set(output)


def test_show_prints_one_record(capsysbinary: Any) -> None:
    assert run("show", SEED, "--json") == 0
    assert json.loads(capsysbinary.readouterr().out)["record"]["id"] == SEED
    assert run("show", SEED) == 0
    assert capsysbinary.readouterr().out.decode().startswith("# Blocking backward sync")
    assert run("show", "none") == 1
    assert capsysbinary.readouterr().err == b"whyraise: No record has the id 'none'.\n"


def test_search_lists_records_by_words(capsysbinary: Any) -> None:
    assert run("search", "backward", "sync") == 0
    assert capsysbinary.readouterr().out.decode().startswith(SEED)
    assert run("search", "--json", "nowhere-to-be-found") == 1
    assert json.loads(capsysbinary.readouterr().out) == []


def test_diagnose_prints_the_first_difference(tmp_path: Path, capsysbinary: Any) -> None:
    assert run("diagnose", SEED, paste(tmp_path, MESSAGE.replace("only", "Only"))) == 1
    output = capsysbinary.readouterr().out.decode()
    assert "It would match with the record's upper and lower case." in output
    assert run("diagnose", SEED, paste(tmp_path, MESSAGE), "--json") == 0
    assert json.loads(capsysbinary.readouterr().out)["matches"] is True


def test_check_prints_every_fault_at_once_and_exits_with_1(tmp_path: Path, capsysbinary: Any) -> None:
    lines = [json.dumps({**record("x is wrong"), "id": 3, "lineNumber": "y"}), json.dumps(record("y is wrong", "("))]
    (tmp_path / "bad.jsonl").write_text("\n".join(lines), "utf-8")
    assert run("check", tmp_path / "bad.jsonl") == 1
    output = capsysbinary.readouterr().out.decode()
    assert [line.split(":")[0] for line in output.splitlines()[:3]] == ["fault"] * 3
    assert output.splitlines()[-1].startswith("0 records; 3 faults")
    assert run("check", RECORDS) == 0


def test_explain_reads_a_file_that_build_wrote(tmp_path: Path, capsysbinary: Any) -> None:
    assert run("build", RECORDS, "-o", tmp_path / "records.db") == 0
    assert run("explain", "--records", tmp_path / "records.db", paste(tmp_path, MESSAGE)) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explain", "/no/such/file"], "whyraise: /no/such/file cannot be read: No such file or directory."),
        (["explain", "--records", "/no/such", __file__], "whyraise: /no/such cannot be read"),
        (["explain", "--nonsense"], "unrecognized arguments: --nonsense"),
        (["nonsense"], "invalid choice: 'nonsense'"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_wrong_usage_exits_with_2_and_a_message(arguments: list[str], words: str, capfd: Any) -> None:
    assert run(*arguments) == 2
    assert words in capfd.readouterr().err


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    output = capsys.readouterr().out
    assert all(f"  {name} " in output for name in ("explain", "show", "search", "check", "build", "serve", "diagnose"))
    assert run("--version") == 0
    assert capsys.readouterr().out == f"whyraise {VERSION}\n"


def output_of(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=60, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    return done.stdout


def test_explain_on_a_built_file_imports_neither_pydantic_nor_fastapi_nor_httpx(tmp_path: Path) -> None:
    assert run("build", RECORDS, "-o", tmp_path / "records.db") == 0
    arguments = [
        "explain",
        "--json",
        "--only",
        "--records",
        str(tmp_path / "records.db"),
        str(paste(tmp_path, MESSAGE)),
    ]
    code = (
        f"import sys\nfrom whyraise.cli.main import main\nassert main({arguments!r}) == 0\n"
        "print('\\n', sorted({'pydantic', 'fastapi', 'starlette', 'httpx', 'hyperscan', 're2'} & set(sys.modules)))"
    )
    assert output_of(code).splitlines()[-1].strip() == "[]"


def test_core_and_command_line_import_without_the_modules_that_windows_lacks() -> None:
    code = (
        "import sys\nfor name in ('pty', 'fcntl', 'resource', 'termios', 'pwd', 'grp'): sys.modules[name] = None\n"
        "import whyraise.cli.main, whyraise.reporters.terminal, whyraise.knowledge.build, whyraise.quality.lint\n"
        "import whyraise.lookup.explain, whyraise.lookup.diagnosis\n"
        "print('imported')"
    )
    assert output_of(code) == "imported\n"


def test_the_module_runs_as_the_command() -> None:
    command = [sys.executable, "-m", "whyraise", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"whyraise {VERSION}\n"


def test_a_closed_output_pipe_is_not_an_error() -> None:
    command = f"{sys.executable} -m whyraise show {SEED} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_serve_answers_with_the_given_records_until_it_is_terminated(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(json.dumps(record("the number {n} is wrong", id="f" * 16)), "utf-8")
    command = [sys.executable, "-m", "whyraise", "serve", str(tmp_path / "mine.jsonl"), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = next(match[0] for line in server.stderr if (match := re.search(r"http://127\.0\.0\.1:\d+", line)))
        answer = httpx.post(f"{address}/v1/explain", json={"text": "ValueError: the number 7 is wrong"}).json()
        server.terminate()
        server.stderr.read()
    assert [finding["record"]["id"] for finding in answer["findings"]] == ["f" * 16]


@pytest.mark.parametrize("given", [[], ["-"], ["error.log"]])
@pytest.mark.parametrize("command", [name for name, _, _, arguments in COMMANDS if arguments[0][1].get("nargs") == "?"])
def test_a_command_without_options_is_parsed_as_argparse_would(command: str, given: list[str]) -> None:
    [(name, words, run, arguments)] = [entry for entry in COMMANDS if entry[0] == command]
    assert main._parse_simple(given, run, arguments) == main._parse_command(name, words, run, arguments, given)


@pytest.mark.parametrize("given", [["--json"], ["a", "b"], [""], ["--", "-"]])
def test_a_command_with_options_is_parsed_by_argparse(given: list[str]) -> None:
    [(_, _, run, arguments)] = [entry for entry in COMMANDS if entry[0] == "explain"]
    assert main._parse_simple(given, run, arguments) is None


def test_explain_leaves_garbage_collection_enabled(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "error.log").write_text("ValueError: nothing that any record knows", "utf-8")
    assert gc.isenabled()
    for _ in range(2):
        assert main.main(["explain", str(tmp_path / "error.log")]) == 1
        assert gc.isenabled()
    assert capsys.readouterr().out
