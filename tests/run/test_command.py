"""`whyraise run` explains a failure after the output of the command, and names a command that cannot be run."""

import re
import subprocess

import pytest

from tests.support.commands import python, run
from tests.support.seed import SEED, TRACEBACK

# Writes, and waits until everything has been read.
DRAINED = """
import fcntl, os, struct, termios
def write(number, data):
    os.write(number, data)
    while struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, bytes(4)))[0]:
        os.sched_yield()
"""


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["no-such-command"], 127, "whyraise: no-such-command cannot be run: No such file or directory.\n"),
        ([""], 127, "whyraise: '' cannot be run: posix_spawnp: argv first element cannot be empty.\n"),
        (["/etc/passwd"], 126, "whyraise: /etc/passwd cannot be run: Permission denied.\n"),
        ([], 2, "whyraise: Name the command to run: whyraise run -- COMMAND ….\n"),
    ],
)
def test_a_command_that_cannot_be_run_is_named(
    command: list[str], code: int, message: str, environment: dict[str, str]
) -> None:
    done = run(command, environment)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (code, b"", message)


def test_a_failure_is_explained_on_standard_error(environment: dict[str, str]) -> None:
    done = run(python(f"import sys; sys.stderr.write({TRACEBACK!r}); sys.exit(5)"), environment)
    assert (done.returncode, done.stdout) == (5, b"")
    hint = done.stderr.decode().removeprefix(TRACEBACK)
    assert hint.splitlines()[0].startswith("whyraise: exact: Blocking backward sync is only possible")
    assert "  module.__class__.__name__ = torch.nn.Linear\n" in hint
    assert f"run `whyraise show {SEED}` for details\n" in hint


def test_a_line_that_the_other_stream_splits_is_joined(environment: dict[str, str]) -> None:
    half = TRACEBACK.index("possible if the module")
    code = (
        f"{DRAINED}write(2, {TRACEBACK[:half]!r}.encode())\nwrite(1, b'epoch 3\\n')\n"
        f"write(2, {TRACEBACK[half:]!r}.encode())\nos._exit(5)"
    )
    done = run(python(code), environment)
    assert (done.stdout, done.stderr.decode()[: len(TRACEBACK)]) == (b"epoch 3\n", TRACEBACK)
    assert "whyraise: exact: Blocking backward sync" in done.stderr.decode()


def test_an_unknown_failure_gets_one_line(environment: dict[str, str]) -> None:
    done = run(python("raise ValueError('never \\x1b[31mseen')"), environment)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1] == "whyraise: no record explains 'ValueError: never seen'."


def test_an_explanation_that_fails_does_not_change_the_exit_code(environment: dict[str, str]) -> None:
    done = run(["false"], {**environment, "WHYRAISE_SOURCES": "/no/such"})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"whyraise: the failure cannot be explained: /no/such cannot be read")


def test_a_success_is_not_explained_whatever_it_printed(environment: dict[str, str]) -> None:
    done = run(python(f"print({TRACEBACK!r})"), environment)
    assert (done.returncode, done.stderr) == (0, b"")


def test_nothing_that_explains_is_imported_before_a_failure(environment: dict[str, str]) -> None:
    code = (
        "import sys\nfrom whyraise.cli.main import main\ncode = main(['run', 'true'])\nprint(code, sorted(sys.modules))"
    )
    done = subprocess.run(python(code), env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("0 ")
    assert not re.findall(
        r"'(?:whyraise\.(?:lookup|knowledge|ask|reporters)|pydantic|httpx|asyncio|subprocess)'", done.stdout
    )


def test_a_system_without_pseudo_terminals_is_reported(environment: dict[str, str]) -> None:
    code = (
        "import sys\nsys.modules['termios'] = None\nfrom whyraise.cli.main import main\nsys.exit(main(['run', 'true']))"
    )
    done = subprocess.run(python(code), env=environment, capture_output=True, text=True, timeout=60, check=False)
    message = "whyraise: `whyraise run` needs a POSIX system: this one has no pseudo-terminals.\n"
    assert (done.returncode, done.stderr) == (2, message)
