"""`whyraise run`: what a command writes and how it ends stay what they are; a failure is explained below it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.seed import SEED, TRACEBACK
from tests.support.terminal import SIZE, Terminal, Typed
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import summary
from whyraise.run.torchrun import root_cause_first

WHYRAISE = [sys.executable, "-m", "whyraise"]
# Writes the same bytes to its output and to a file: whole lines, parts, and everything that is no text.
TWICE = """
import os, sys, time
copy = open(sys.argv[1], "wb", 0)
def write(data, number=1):
    copy.write(data); os.write(number, data)
"""
AWKWARD = (
    TWICE
    + 'write(bytes(range(256)) + b"\\r50%\\r\\n\\n" + "\\U0001f3d6".encode() + b"\\xff" * 200_000 + b"no newline")'
)
# Tells which standard descriptors are closed.
CLOSED = """
import os, sys
numbers = [number for number in range(3) if not os.path.exists(f"/proc/self/fd/{number}")]
open(sys.argv[1], "w").write(str(numbers))
os._exit(5)
"""
# Writes, and goes on when all of it was read.
DRAINED = """
import fcntl, os, struct, termios
def write(number, data):
    os.write(number, data)
    while struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, bytes(4)))[0]:
        os.sched_yield()
"""
# Says that it runs, waits for Ctrl-C, and ends in its own way.
WAITS = (
    TWICE
    + """
try:
    write(b"ready\\r\\n\\x00")
    time.sleep(60)
except KeyboardInterrupt:
    write(b"interrupted\\n")
    sys.exit(3)
"""
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {**os.environ, "WHYRAISE_CACHE_DIR": str(tmp_path_factory.mktemp("cache")), "WHYRAISE_MINE": "off"}


def run(command: list[str], environment: dict[str, str], **more: Any) -> subprocess.CompletedProcess[bytes]:
    full = [*WHYRAISE, "run", "--", *command]
    return subprocess.run(full, env=environment, capture_output=True, timeout=60, check=False, **more)


def python(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, arguments)]


def test_what_a_command_writes_passes_through_pipes_byte_for_byte(tmp_path: Path, environment: dict[str, str]) -> None:
    done = run(python(AWKWARD, tmp_path / "copy"), environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (tmp_path / "copy").read_bytes()


def test_the_two_streams_stay_apart(environment: dict[str, str]) -> None:
    done = run(python("import os; os.write(1, b'out'); os.write(2, b'err'); os._exit(7)"), environment)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"out", b"err")


def test_streams_that_are_one_file_keep_their_order(environment: dict[str, str]) -> None:
    code = "import os\nfor n in range(2000): os.write(1 + n % 2, b'%d\\n' % n)"
    command = [*WHYRAISE, "run", *python(code)]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=True
    )
    assert done.stdout == b"".join(b"%d\n" % n for n in range(2000))


@pytest.mark.parametrize("converts", [True, False])
def test_what_a_command_writes_passes_through_a_terminal_byte_for_byte(
    converts: bool, tmp_path: Path, environment: dict[str, str]
) -> None:
    with Terminal(converts) as terminal:
        shown = terminal.run([*WHYRAISE, "run", "--", *python(AWKWARD, tmp_path / "copy")], environment)
    written = (tmp_path / "copy").read_bytes()
    assert shown == (written.replace(b"\n", b"\r\n") if converts else written, 0)


def test_a_command_sees_the_terminal_and_its_size(environment: dict[str, str]) -> None:
    code = "import os; print([os.isatty(n) for n in range(3)], os.get_terminal_size(1))"
    with Terminal() as terminal:
        shown = terminal.run([*WHYRAISE, "run", "--", *python(code)], environment)
    rows, columns = SIZE
    size = f"os.terminal_size(columns={columns}, lines={rows})"
    assert shown.output.decode() == f"[True, True, True] {size}\r\n"


def test_only_what_is_a_terminal_looks_like_one(tmp_path: Path, environment: dict[str, str]) -> None:
    command = " ".join([*WHYRAISE, "run", sys.executable, "-c", "'import os; print([os.isatty(n) for n in range(3)])'"])
    with Terminal() as terminal:
        shown = terminal.run(["sh", "-c", f"{command} > {tmp_path}/out"], environment)
    assert (shown, (tmp_path / "out").read_text("utf-8")) == ((b"", 0), "[True, False, True]\n")


def test_ctrl_c_at_a_terminal_reaches_the_command_once_and_its_own_end_is_kept(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with Terminal(converts=False) as terminal:
        command = [*WHYRAISE, "run", "--", *python(WAITS, tmp_path / "copy")]
        shown = terminal.run(command, environment, [Typed(b"ready", b"\x03")])
    assert shown == ((tmp_path / "copy").read_bytes(), 3)
    assert shown.output.endswith(b"interrupted\n")


def test_ctrl_c_reaches_a_command_whose_output_goes_through_pipes(tmp_path: Path, environment: dict[str, str]) -> None:
    line = " ".join(f"'{part}'" for part in [*WHYRAISE, "run", "--", *python(WAITS, tmp_path / "copy")])
    script = f"trap '' INT; {{ (trap - INT; exec {line}); echo code $? > {tmp_path}/code; }} | tee {tmp_path}/out"
    with Terminal(converts=False) as terminal:
        terminal.run(["bash", "-c", script], environment, [Typed(b"ready", b"\x03")])
    assert (tmp_path / "out").read_bytes() == (tmp_path / "copy").read_bytes()
    assert (tmp_path / "code").read_text("utf-8") == "code 3\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 3), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_sent_to_us_alone_is_passed_on(
    number: signal.Signals, code: int, tmp_path: Path, environment: dict[str, str]
) -> None:
    command = [*WHYRAISE, "run", "--", *python(WAITS, tmp_path / "copy")]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        begun = process.stdout.read(8)
        process.send_signal(number)
        output = begun + process.stdout.read()
    assert process.returncode == code
    assert output == (tmp_path / "copy").read_bytes()


def test_a_command_that_a_signal_ended_gives_the_code_that_a_shell_gives(environment: dict[str, str]) -> None:
    done = run(python("import os; os.kill(os.getpid(), 9)"), environment)
    assert (done.returncode, done.stdout, done.stderr) == (137, b"", b"")


def test_signals_that_are_blocked_or_ignored_reach_a_command_as_they_would_without_us(
    environment: dict[str, str],
) -> None:
    command = ["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"]
    direct = subprocess.run(command, capture_output=True, check=True)
    assert masks(run(command, environment).stdout) == masks(direct.stdout)


def masks(status: bytes) -> list[int]:
    """Return masks of /proc without the two signals that belong to the C library, which its posix_spawn() ignores."""
    return [int(line.split()[1], 16) & 0x7FFF_FFFF for line in status.splitlines()]


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["no-such-command"], 127, "whyraise: no-such-command cannot be run: No such file or directory.\n"),
        ([""], 127, "whyraise: '' cannot be run: posix_spawnp: argv first element cannot be empty.\n"),
        (["/etc/passwd"], 126, "whyraise: /etc/passwd cannot be run: Permission denied.\n"),
        ([], 2, "whyraise: Name the command to run: whyraise run -- COMMAND ….\n"),
    ],
)
def test_a_command_that_cannot_be_run_is_named(
    command: list[str], code: int, said: str, environment: dict[str, str]
) -> None:
    done = run(command, environment)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (code, b"", said)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&-"])
def test_what_is_closed_here_is_closed_for_the_command(
    closed: str, environment: dict[str, str], tmp_path: Path
) -> None:
    told = tmp_path / "told"
    command = [*WHYRAISE, "run", "--", *python(CLOSED, told)]
    done = subprocess.run(["bash", "-c", f'"$@" {closed}', "bash", *command], env=environment, timeout=60, check=False)
    numbers = [number for number, form in enumerate(("<&-", ">&-", "2>&-")) if form in closed.split()]
    assert (done.returncode, told.read_text("utf-8")) == (5, str(numbers))


def test_output_that_cannot_be_passed_on_is_said_to_be_lost(environment: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        command = [*WHYRAISE, "run", "--", "sh", "-c", "echo hi; exit 0"]
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.stderr == b"whyraise: output of the command was lost: No space left on device.\n"
    assert done.returncode == 0


def test_standard_input_is_the_commands_own(environment: dict[str, str]) -> None:
    assert run(["cat"], environment, input=b"\x00given").stdout == b"\x00given"


def test_a_command_whose_reader_has_seen_enough_ends_as_it_would_without_us(environment: dict[str, str]) -> None:
    command = f"{' '.join(WHYRAISE)} run -- yes | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (b"y\n141\n", b"")


def test_what_a_command_leaves_running_holds_nobody(environment: dict[str, str]) -> None:
    done = run(["sh", "-c", "echo done; sleep 50 & exit 4"], environment)
    assert (done.returncode, done.stdout, done.stderr) == (4, b"done\n", b"")


def test_what_a_command_leaves_writing_holds_nobody(environment: dict[str, str]) -> None:
    done = run(["sh", "-c", "yes & exit 4"], environment)
    assert (done.returncode, done.stdout.strip(b"y\n"), done.stderr) == (4, b"", b"")


def test_a_parent_that_ignores_ended_children_changes_nothing(environment: dict[str, str]) -> None:
    done = run(["sh", "-c", "exit 6"], environment, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert done.returncode == 6


def test_after_a_failure_standard_error_says_what_is_known(environment: dict[str, str]) -> None:
    done = run(python(f"import sys; sys.stderr.write({TRACEBACK!r}); sys.exit(5)"), environment)
    assert (done.returncode, done.stdout) == (5, b"")
    said = done.stderr.decode().removeprefix(TRACEBACK)
    assert said.splitlines()[0].startswith("whyraise: exact: Blocking backward sync is only possible")
    assert "  module.__class__.__name__ = torch.nn.Linear\n" in said
    assert f"`whyraise show {SEED}` says more\n" in said


def test_a_line_that_the_other_stream_tore_is_read_whole(environment: dict[str, str]) -> None:
    half = TRACEBACK.index("possible if the module")
    code = (
        f"{DRAINED}write(2, {TRACEBACK[:half]!r}.encode())\nwrite(1, b'epoch 3\\n')\n"
        f"write(2, {TRACEBACK[half:]!r}.encode())\nos._exit(5)"
    )
    done = run(python(code), environment)
    assert (done.stdout, done.stderr.decode()[: len(TRACEBACK)]) == (b"epoch 3\n", TRACEBACK)
    assert "whyraise: exact: Blocking backward sync" in done.stderr.decode()


def test_a_failure_that_nothing_is_known_of_gets_one_line(environment: dict[str, str]) -> None:
    done = run(python("raise ValueError('never \\x1b[31mseen')"), environment)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1] == "whyraise: no record explains 'ValueError: never seen'."


def test_an_explanation_that_fails_leaves_the_exit_code(environment: dict[str, str]) -> None:
    done = run(["false"], {**environment, "WHYRAISE_SOURCES": "/no/such"})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"whyraise: the failure cannot be explained: /no/such cannot be read")


def test_what_succeeds_is_not_explained_whatever_it_printed(environment: dict[str, str]) -> None:
    done = run(python(f"print({TRACEBACK!r})"), environment)
    assert (done.returncode, done.stderr) == (0, b"")


def test_nothing_that_explains_is_imported_before_a_failure(environment: dict[str, str]) -> None:
    code = (
        "import sys\nfrom whyraise.cli.main import main\ncode = main(['run', 'true'])\nprint(code, sorted(sys.modules))"
    )
    done = subprocess.run(python(code), env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("0 ")
    assert not re.findall(
        r"'(?:whyraise\.(?:explain|catalog|ask|hint)|pydantic|httpx|asyncio|subprocess)'", done.stdout
    )


def test_where_there_are_no_pseudo_terminals_it_says_so(environment: dict[str, str]) -> None:
    code = (
        "import sys\nsys.modules['termios'] = None\nfrom whyraise.cli.main import main\nsys.exit(main(['run', 'true']))"
    )
    done = subprocess.run(python(code), env=environment, capture_output=True, text=True, timeout=60, check=False)
    said = "whyraise: `whyraise run` needs a POSIX system: this one has no pseudo-terminals.\n"
    assert (done.returncode, done.stderr) == (2, said)


SUMMARY = """
Root Cause (first observed failure):
[1]:
  time      : 2026-12-02_16:09:34
  host      : localhost
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 32109)
"""


@pytest.mark.parametrize("root", [0, 1])
def test_the_first_failing_ranks_error_comes_first(root: int, bundled: Catalog) -> None:
    other = "".join(f"[rank0]: {line}\n" for line in OTHER.splitlines())
    text = other + "".join(f"[rank1]: {line}\n" for line in TRACEBACK.splitlines())
    text += SUMMARY.replace("rank      : 1", f"rank      : {root}")
    found = root_cause_first(explain(text, bundled), text)
    assert [{each.rank for each in one.occurrences} for one in found.findings] == [{root}, {1 - root}]


def test_an_echo_of_a_rank_whose_own_error_is_not_known_is_called_one(bundled: Catalog) -> None:
    text = "[rank1]: ValueError: never seen before\n" + "".join(f"[rank0]: {line}\n" for line in OTHER.splitlines())
    said = summary.explanation(root_cause_first(explain(text + SUMMARY, bundled), text + SUMMARY))
    assert said.endswith("\n  Rank 1 failed first, says torchrun, and nothing is known of what it said.\n")


def test_a_message_without_a_rank_is_the_first_failing_ranks(bundled: Catalog) -> None:
    [finding] = root_cause_first(explain(TRACEBACK + SUMMARY, bundled), TRACEBACK + SUMMARY).findings
    assert [each.rank for each in finding.occurrences] == [1]


OTHER = """Traceback (most recent call last):
  File "/home/user/train.py", line 9, in <module>
    model = torch.nn.parallel.DistributedDataParallel(model)
  File "/usr/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", line 904, in __init__
    self._log_and_throw(
  File "/usr/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", line 1350, in _log_and_throw
    raise err_type(err_msg)
RuntimeError: DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.
"""
