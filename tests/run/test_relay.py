"""`whyraise run` passes output, terminals, signals and exit codes through unchanged."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import WHYRAISE, python, run
from tests.support.terminal import SIZE, Terminal, Typed

# Writes the same bytes to its output and to a file: whole lines, parts of lines, and bytes that are no text.
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
# Writes to a file which standard descriptors are closed.
CLOSED = """
import os, sys
numbers = [number for number in range(3) if not os.path.exists(f"/proc/self/fd/{number}")]
open(sys.argv[1], "w").write(str(numbers))
os._exit(5)
"""
# Prints that it runs, waits for Ctrl-C, and then exits with a code of its own.
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


def test_output_passes_through_pipes_byte_for_byte(tmp_path: Path, environment: dict[str, str]) -> None:
    done = run(python(AWKWARD, tmp_path / "copy"), environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (tmp_path / "copy").read_bytes()


def test_the_two_streams_stay_separate(environment: dict[str, str]) -> None:
    done = run(python("import os; os.write(1, b'out'); os.write(2, b'err'); os._exit(7)"), environment)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"out", b"err")


def test_streams_to_the_same_file_keep_their_order(environment: dict[str, str]) -> None:
    code = "import os\nfor n in range(2000): os.write(1 + n % 2, b'%d\\n' % n)"
    command = [*WHYRAISE, "run", *python(code)]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=True
    )
    assert done.stdout == b"".join(b"%d\n" % n for n in range(2000))


@pytest.mark.parametrize("converts", [True, False])
def test_output_passes_through_a_terminal_byte_for_byte(
    converts: bool, tmp_path: Path, environment: dict[str, str]
) -> None:
    with Terminal(converts) as terminal:
        screen = terminal.run([*WHYRAISE, "run", "--", *python(AWKWARD, tmp_path / "copy")], environment)
    written = (tmp_path / "copy").read_bytes()
    assert screen == (written.replace(b"\n", b"\r\n") if converts else written, 0)


def test_a_command_sees_the_terminal_and_its_size(environment: dict[str, str]) -> None:
    code = "import os; print([os.isatty(n) for n in range(3)], os.get_terminal_size(1))"
    with Terminal() as terminal:
        screen = terminal.run([*WHYRAISE, "run", "--", *python(code)], environment)
    rows, columns = SIZE
    size = f"os.terminal_size(columns={columns}, lines={rows})"
    assert screen.output.decode() == f"[True, True, True] {size}\r\n"


def test_only_streams_that_are_terminals_look_like_terminals(tmp_path: Path, environment: dict[str, str]) -> None:
    command = " ".join([*WHYRAISE, "run", sys.executable, "-c", "'import os; print([os.isatty(n) for n in range(3)])'"])
    with Terminal() as terminal:
        screen = terminal.run(["sh", "-c", f"{command} > {tmp_path}/out"], environment)
    assert (screen, (tmp_path / "out").read_text("utf-8")) == ((b"", 0), "[True, False, True]\n")


def test_ctrl_c_at_a_terminal_reaches_the_command_once_and_its_exit_code_is_kept(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with Terminal(converts=False) as terminal:
        command = [*WHYRAISE, "run", "--", *python(WAITS, tmp_path / "copy")]
        screen = terminal.run(command, environment, [Typed(b"ready", b"\x03")])
    assert screen == ((tmp_path / "copy").read_bytes(), 3)
    assert screen.output.endswith(b"interrupted\n")


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
        start = process.stdout.read(8)
        process.send_signal(number)
        output = start + process.stdout.read()
    assert process.returncode == code
    assert output == (tmp_path / "copy").read_bytes()


def test_a_command_that_a_signal_ended_has_the_exit_code_of_a_shell(environment: dict[str, str]) -> None:
    done = run(python("import os; os.kill(os.getpid(), 9)"), environment)
    assert (done.returncode, done.stdout, done.stderr) == (137, b"", b"")


def test_signals_that_are_blocked_or_ignored_reach_a_command_as_they_would_without_us(
    environment: dict[str, str],
) -> None:
    command = ["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"]
    direct = subprocess.run(command, capture_output=True, check=True)
    assert masks(run(command, environment).stdout) == masks(direct.stdout)


def masks(status: bytes) -> list[int]:
    """Return signal masks of /proc without the two signals of the C library, which its posix_spawn() ignores."""
    return [int(line.split()[1], 16) & 0x7FFF_FFFF for line in status.splitlines()]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&-"])
def test_a_descriptor_that_is_closed_is_closed_for_the_command_too(
    closed: str, environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "closed"
    command = [*WHYRAISE, "run", "--", *python(CLOSED, file)]
    done = subprocess.run(["bash", "-c", f'"$@" {closed}', "bash", *command], env=environment, timeout=60, check=False)
    numbers = [number for number, form in enumerate(("<&-", ">&-", "2>&-")) if form in closed.split()]
    assert (done.returncode, file.read_text("utf-8")) == (5, str(numbers))


def test_output_that_cannot_be_passed_on_is_reported_as_lost(environment: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        command = [*WHYRAISE, "run", "--", "sh", "-c", "echo hi; exit 0"]
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.stderr == b"whyraise: output of the command was lost: No space left on device.\n"
    assert done.returncode == 0


def test_the_command_reads_our_standard_input(environment: dict[str, str]) -> None:
    assert run(["cat"], environment, input=b"\x00given").stdout == b"\x00given"


def test_a_command_whose_reader_closes_its_end_ends_as_it_would_without_us(environment: dict[str, str]) -> None:
    command = f"{' '.join(WHYRAISE)} run -- yes | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (b"y\n141\n", b"")


def test_a_process_that_a_command_leaves_running_is_not_waited_for(environment: dict[str, str]) -> None:
    done = run(["sh", "-c", "echo done; sleep 50 & exit 4"], environment)
    assert (done.returncode, done.stdout, done.stderr) == (4, b"done\n", b"")


def test_a_process_that_a_command_leaves_writing_is_not_waited_for(environment: dict[str, str]) -> None:
    done = run(["sh", "-c", "yes & exit 4"], environment)
    assert (done.returncode, done.stdout.strip(b"y\n"), done.stderr) == (4, b"", b"")


def test_a_parent_that_ignores_ended_children_changes_nothing(environment: dict[str, str]) -> None:
    done = run(["sh", "-c", "exit 6"], environment, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert done.returncode == 6
