"""Hooks in separate processes: what they add to an error, and that everything else stays as it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from whyraise.cli.main import main

# Enough for the slowest machine; `bench/` measures how long a program really waits.
INSTALL = "from whyraise.hooks import install\nhooks = install(seconds=60)\n"
FAIL = "a, b = [1, 2, 3]\n"
UNKNOWN = "raise RuntimeError('never seen before')\n"
NOTE = "whyraise: exact: too many values to unpack (expected {expected})\n"
RECORD = "b388fb85df50a823"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def stderr_of(code: str, folder: Path, cache: Path, code_expected: int = 1, **environment: str) -> str:
    """Run a program and return what it writes to standard error."""
    (folder / "program.py").write_text(code, "utf-8")
    known = {**os.environ, "WHYRAISE_CACHE_DIR": str(cache), "WHYRAISE_MINE": "off", **environment}
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=known, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code_expected, done.stderr
    return done.stderr


def test_an_uncaught_exception_is_shown_as_before_with_a_note(tmp_path: Path, cache: Path) -> None:
    plain = stderr_of("\n\n" + FAIL, tmp_path, cache)
    noted = stderr_of(INSTALL + FAIL, tmp_path, cache)
    assert noted.startswith(plain + NOTE)
    assert f"run `whyraise show {RECORD}` for details" in noted.removeprefix(plain).splitlines()[-1]


@pytest.mark.parametrize("environment", [{}, {"WHYRAISE_SOURCES": "/no/such"}, {"WHYRAISE_ASKED": "1"}], ids=str)
@pytest.mark.parametrize("code", [UNKNOWN, "raise KeyboardInterrupt\n", "import sys\nsys.exit('as wanted')\n"])
def test_an_unknown_error_is_shown_exactly_as_without_hooks(
    code: str, environment: dict[str, str], tmp_path: Path, cache: Path
) -> None:
    expected = -2 if "Interrupt" in code else 1
    plain = stderr_of("\n\n" + code, tmp_path, cache, expected)
    assert stderr_of(INSTALL + code, tmp_path, cache, expected, **environment) == plain


def test_the_previous_hook_is_called_once_with_the_noted_exception(tmp_path: Path, cache: Path) -> None:
    before = (
        "import sys\nsys.excepthook = lambda kind, error, trace: print(kind, error.__notes__[0], file=sys.stderr)\n"
    )
    output = stderr_of(before + INSTALL + FAIL, tmp_path, cache)
    assert output.startswith(f"<class 'ValueError'> {NOTE}")
    assert output.count("ValueError") == 1


def test_an_exception_in_a_thread_gets_a_note(tmp_path: Path, cache: Path) -> None:
    thread = "import threading\ndef work():\n    a, b = [1, 2, 3]\nthreading.Thread(target=work, name='T').start()\n"
    output = stderr_of(INSTALL + thread, tmp_path, cache, 0)
    assert output.startswith("Exception in thread T:\nTraceback (most recent call last):\n")
    assert output.count(NOTE) == 1


LOST = """
import asyncio, gc
async def work():
    a, b = [1, 2, 3]
async def main():
    WATCH
    asyncio.ensure_future(work())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gc.collect()
asyncio.run(main())
"""


def test_an_exception_that_no_task_awaits_gets_a_note_in_the_log(tmp_path: Path, cache: Path) -> None:
    output = stderr_of(INSTALL + LOST.replace("WATCH", "pass"), tmp_path, cache, 0)
    assert output.startswith("Task exception was never retrieved\n")
    assert output.count(NOTE) == 1


def test_an_event_loops_own_handler_gets_the_noted_exception(tmp_path: Path, cache: Path) -> None:
    watch = (
        "loop = asyncio.get_running_loop(); loop.set_exception_handler(lambda loop, context: "
        "print(context['message'], context['exception'].__notes__[0], flush=True)); hooks.watch(loop)"
    )
    code = "import sys\nsys.stdout = sys.stderr\n" + INSTALL + LOST.replace("WATCH", watch)
    assert stderr_of(code, tmp_path, cache, 0).startswith(f"Task exception was never retrieved {NOTE}")


def test_no_process_is_started_when_the_time_is_used_up(tmp_path: Path, cache: Path) -> None:
    code = (
        "import whyraise.hooks as hooks\nhooks._start = lambda *_: print('asked', flush=True)\n"
        "hooks = hooks.install(seconds=-1)\n"
    )
    assert stderr_of(code + FAIL, tmp_path, cache) == stderr_of("\n\n\n" + FAIL, tmp_path, cache)


def test_ctrl_c_while_a_hook_waits_does_not_lose_the_traceback(tmp_path: Path, cache: Path) -> None:
    code = (
        "import whyraise.hooks as hooks\ndef interrupted(*_):\n    raise KeyboardInterrupt\n"
        "hooks._start = interrupted\nhooks.install()\n"
    )
    assert "ValueError: too many values to unpack (expected 2)\n" in stderr_of(code + FAIL, tmp_path, cache)


def test_installing_imports_nothing_that_looks_up(tmp_path: Path, cache: Path) -> None:
    code = (
        INSTALL
        + "import sys\nprint(sorted(n for n in sys.modules if n.partition('.')[0] == 'whyraise'), file=sys.stderr)\n"
    )
    assert stderr_of(code, tmp_path, cache, 0) == "['whyraise', 'whyraise.hooks']\n"


def test_removing_the_hooks_restores_the_previous_ones(tmp_path: Path, cache: Path) -> None:
    code = (
        "import sys, threading, logging\nbefore = sys.excepthook, threading.excepthook\n" + INSTALL + "hooks.remove()\n"
        "print(before == (sys.excepthook, threading.excepthook), logging.getLogger('asyncio').filters, file=sys.stderr)"
    )
    assert stderr_of(code, tmp_path, cache, 0) == "True []\n"


CELLS = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
BEFORE
shell.run_line_magic("load_ext", "whyraise")
shell.run_cell("a, b = [1, 2, 3]")
shell.run_line_magic("unload_ext", "whyraise")
print("unloaded")
shell.run_cell("a, b = [1, 2, 3]")
"""


def cells(before: str, tmp_path: Path, cache: Path) -> list[str]:
    """Run the cells; return the output with and without the extension."""
    code = "import sys\nsys.stdout = sys.stderr\nimport whyraise.hooks\nwhyraise.hooks._PROMPT_WAIT = 60\n"
    output = stderr_of(
        code + CELLS.replace("BEFORE", before), tmp_path, cache, 0, IPYTHONDIR=str(tmp_path), HOME=str(tmp_path)
    )
    return output.split("unloaded\n")


def test_an_error_at_a_prompt_gets_a_note_while_the_extension_is_loaded(tmp_path: Path, cache: Path) -> None:
    loaded, unloaded = cells("", tmp_path, cache)
    assert "ValueError: too many values to unpack (expected 2)\n" + NOTE in loaded
    assert "whyraise" not in unloaded
    assert unloaded.rstrip().endswith("ValueError: too many values to unpack (expected 2)")


def test_a_prompts_own_handler_gets_the_noted_error(tmp_path: Path, cache: Path) -> None:
    before = (
        "def own(shell, kind, error, trace, tb_offset=None): print('own', *getattr(error, '__notes__', []))\n"
        "shell.set_custom_exc((ValueError,), own)"
    )
    loaded, unloaded = cells(before, tmp_path, cache)
    assert loaded.startswith(f"own {NOTE}")
    assert unloaded == "own\n"


def test_the_hint_on_the_command_line_is_the_note(
    tmp_path: Path, cache: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", str(cache))
    (tmp_path / "error.log").write_text("ValueError: too many values to unpack (expected 2)", "utf-8")
    assert main(["explain", "--hint", "--min-confidence", "likely", str(tmp_path / "error.log")]) == 0
    assert capsysbinary.readouterr().out.decode().startswith(NOTE)


def test_a_log_record_without_an_exception_raises_nothing(tmp_path: Path, cache: Path) -> None:
    code = (
        "import logging\nlogging.raiseExceptions = False\n"
        "record = logging.makeLogRecord({'name': 'asyncio', 'exc_info': True, 'msg': 'x', 'levelno': 40})\n"
        "logging.getLogger('asyncio').handle(record)\n"
    )
    assert stderr_of(INSTALL + code, tmp_path, cache, 0) == stderr_of(code, tmp_path, cache, 0)
