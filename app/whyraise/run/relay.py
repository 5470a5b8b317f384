"""Runs a command, passes its output on immediately and byte for byte, and keeps the tail of the output.

The command shares our standard input, process group and terminal, so that Ctrl-C, Ctrl-Z and passwords reach it
directly. If our output is a terminal, the command writes to a pseudo-terminal that changes no bytes; so the terminal
receives the same bytes as without us.
"""

from __future__ import annotations

import os
import select
import signal
import termios
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from whyraise.namedtuples import NamedTuple

# Bytes of output that are kept, and that are read in one call.
_TAIL_BYTES, _READ_BYTES = 1 << 20, 1 << 16
# Bytes that the pipes of both streams can hold when a command ends (Linux: at most 1 MiB each, unless root raises it).
_PIPE_BYTES = 2 << 20
_FORWARDED = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH
)  # fmt: skip
# Signals that Python ignores and that end other programs by default.
_RESET = (signal.SIGPIPE, signal.SIGXFSZ)


class Result(NamedTuple):
    """The result of a command: its shell exit code and the tail of its output, stdout and stderr interleaved by line.

    `lost` is the reason why output could not be passed on, or ""; it stays "" if our reader closed its end.
    """

    code: int
    output: bytes
    lost: str


class _Channel:
    """A pipe or pseudo-terminal: the command writes to one end, and we copy from the other to our descriptor `out`."""

    def __init__(self, out: int) -> None:
        self.out, self.is_terminal, self.lost = out, os.isatty(out), ""
        self.read, self.write = os.openpty() if self.is_terminal else os.pipe()
        if self.is_terminal:
            modes = termios.tcgetattr(out)
            modes[1] &= ~termios.OPOST  # our terminal itself processes the output
            termios.tcsetattr(self.write, termios.TCSANOW, modes)
            self.resize()

    def resize(self) -> None:
        """Set the size of a pseudo-terminal to that of our terminal."""
        if self.is_terminal:
            termios.tcsetwinsize(self.read, termios.tcgetwinsize(self.out))

    def pass_on(self) -> bytes:
        """Read once, pass the bytes on and return them; return no bytes at the end, or if they cannot be passed on."""
        try:
            data = os.read(self.read, _READ_BYTES)
        except OSError:  # EIO: the pseudo-terminal is closed
            return b""
        try:
            _write(self.out, data)
        except BrokenPipeError:  # our reader has closed its end
            return b""
        except OSError as error:
            self.lost = error.strerror or str(error)
            return b""
        return data


def relay(command: Sequence[str]) -> Result:
    """Run a command to its end, passing on its output and our signals; raise `OSError` if it cannot be started.

    After the command has ended, such a signal ends this process with the command's exit code.
    """
    channels = _open_channels()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if our parent ignored it, we could not wait for the command
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)  # a separate thread receives them
    child = _Child(_start(command, channels), list(channels.values()))
    for task in (child.wait, child.pass_signals):
        threading.Thread(target=task, daemon=True).start()
    tail = _pass_all(list(channels.values()), child.ended)
    return Result(child.code, _joined(tail), next((channel.lost for channel in channels.values() if channel.lost), ""))


def _open_channels() -> dict[int, _Channel]:
    """Open the channels of standard output and standard error: one for both if both are the same file.

    One channel keeps the order of what is written. A descriptor that is closed here is closed for the command too.
    """
    closed = _reserve_closed()
    numbers = [number for number in (1, 2) if number not in closed]
    if numbers == [1, 2] and os.path.sameopenfile(1, 2):
        return dict.fromkeys(numbers, _Channel(1))
    return {number: _Channel(number) for number in numbers}


def _reserve_closed() -> list[int]:
    """Return which standard descriptors are closed; open a file on each, so that none of our pipes gets its number.

    The command does not inherit these files.
    """
    closed = []
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            closed.append(os.open(os.devnull, os.O_RDWR))
    return closed


def _start(command: Sequence[str], channels: dict[int, _Channel]) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, channel.write, number) for number, channel in channels.items()]
    try:
        return os.posix_spawnp(
            command[0], list(command), os.environ, file_actions=actions, setsigmask=(), setsigdef=_RESET
        )
    finally:
        for channel in set(channels.values()):
            os.close(channel.write)


class _Child:
    """The running command; when it ends, `code` is its exit code and the descriptor `ended` becomes readable."""

    def __init__(self, process: int, channels: list[_Channel]) -> None:
        self._process, self._channels = process, channels
        self.ended, self._write_end = os.pipe()
        self.code = -1

    def wait(self) -> None:
        """Wait until the command ends."""
        _, status = os.waitpid(self._process, 0)
        code = os.waitstatus_to_exitcode(status)
        self.code = code if code >= 0 else 128 - code
        os.close(self._write_end)

    def pass_signals(self) -> None:
        """Pass on the signals that only we receive; what the terminal sends, the command receives itself."""
        while True:
            number, from_terminal = _next_signal()
            if self.code >= 0:
                os._exit(self.code)
            if number == signal.SIGWINCH:
                for channel in self._channels:
                    channel.resize()
            if not from_terminal or number == signal.SIGWINCH:
                with suppress(ProcessLookupError):
                    os.kill(self._process, number)


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; return it, and whether the kernel sent it to every process in the terminal's foreground."""
    if hasattr(signal, "sigwaitinfo"):
        info = signal.sigwaitinfo(_FORWARDED)
        return info.si_signo, info.si_code > 0
    return signal.sigwait(_FORWARDED), any(_is_foreground(number) for number in range(3))


def _is_foreground(number: int) -> bool:
    return os.isatty(number) and os.tcgetpgrp(number) == os.getpgrp()


def _pass_all(channels: Sequence[_Channel], ended: int) -> deque[tuple[int, bytes]]:
    """Pass on all output until the command has ended, and return its tail in pieces, each with its descriptor.

    Processes that the command left running may go on writing; we do not wait for them.
    """
    tail: deque[tuple[int, bytes]] = deque()
    size, remaining, by_end = 0, _PIPE_BYTES, {channel.read: channel for channel in channels}
    while by_end and remaining > 0:
        ready, _, _ = select.select([*by_end, ended], [], [])
        if ready == [ended]:
            break
        for end in set(ready) - {ended}:
            piece = by_end[end].pass_on()
            tail.append((by_end[end].out, piece))
            size += len(piece)
            remaining -= len(piece) if ended in ready else 0
            if not piece:
                os.close(by_end.pop(end).read)
        while size > _TAIL_BYTES:
            size -= len(tail.popleft()[1])
    select.select([ended], [], [])
    return tail


def _write(out: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(out, data) :]
        except BlockingIOError:
            select.select([], [out], [])


def _joined(pieces: deque[tuple[int, bytes]]) -> bytes:
    """Join the pieces of several streams to one text, in which no line is split by a line of another stream."""
    text, unfinished = [], {out: b"" for out, _ in pieces}
    for out, piece in pieces:
        lines, newline, unfinished[out] = (unfinished[out] + piece).rpartition(b"\n")
        text.append(lines + newline)
    return b"".join(text + [line and line + b"\n" for line in unfinished.values()])
