"""Runs a command and passes on what it writes, byte for byte and at once, while the end of it is kept.

The command keeps our standard input, process group and terminal, so that Ctrl-C, Ctrl-Z and passwords reach it without
us. Where our output is a terminal it writes to a pseudo-terminal that changes nothing: what the terminal does with the
bytes is what it would have done with the command's own.
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

# Bytes of output that are kept, and that are passed on at once.
_KEPT, _PIECE = 1 << 20, 1 << 16
# Bytes that a pipe can hold when a command ends (Linux: at most 1 MiB unless root says otherwise), for both streams.
_LEFT = 2 << 20
_PASSED = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH
)  # fmt: skip
# What Python ignores, and what other programs expect to end by.
_DEFAULT = (signal.SIGPIPE, signal.SIGXFSZ)


class Ended(NamedTuple):
    """How a command ended: its exit code as a shell gives it, and the end of what it wrote, its streams by lines.

    `lost` says why output could not be passed on, where that was for another reason than that nobody reads it.
    """

    code: int
    output: bytes
    lost: str


class _Channel:
    """A way out of the command: it writes to one end, and what we read at the other goes to a descriptor of ours."""

    def __init__(self, out: int) -> None:
        self.out, self.is_terminal, self.lost = out, os.isatty(out), ""
        self.read, self.write = os.openpty() if self.is_terminal else os.pipe()
        if self.is_terminal:
            modes = termios.tcgetattr(out)
            modes[1] &= ~termios.OPOST  # the terminal itself does what this asks for
            termios.tcsetattr(self.write, termios.TCSANOW, modes)
            self.resize()

    def resize(self) -> None:
        """Give a pseudo-terminal the size of our terminal."""
        if self.is_terminal:
            termios.tcsetwinsize(self.read, termios.tcgetwinsize(self.out))

    def pass_on(self) -> bytes:
        """Pass on what can be read; nothing says that no more will come, or that nobody wants it."""
        try:
            piece = os.read(self.read, _PIECE)
        except OSError:  # EIO: the pseudo-terminal is closed
            return b""
        try:
            _write(self.out, piece)
        except BrokenPipeError:  # our reader has seen enough
            return b""
        except OSError as error:
            self.lost = error.strerror or str(error)
            return b""
        return piece


def relay(command: Sequence[str]) -> Ended:
    """Run a command to its end, passing on its output and our signals; raise `OSError` where it cannot be started.

    From then on a signal that would have been passed on ends this process, with the command's exit code.
    """
    channels = _channels()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where our parent ignores it, we could not wait for the command
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED)  # a thread of its own takes them
    child = _Child(_start(command, channels), list(channels.values()))
    for task in (child.wait, child.pass_signals):
        threading.Thread(target=task, daemon=True).start()
    pieces = _pass_all(list(channels.values()), child.ended)
    return Ended(child.code, _lines(pieces), next((each.lost for each in channels.values() if each.lost), ""))


def _channels() -> dict[int, _Channel]:
    """Return the channel of standard output and of standard error: one for both where both are the same file.

    Through one channel what was written first is passed on first. What is closed here is closed for the command too.
    """
    closed = _held()
    numbers = [number for number in (1, 2) if number not in closed]
    if numbers == [1, 2] and os.path.sameopenfile(1, 2):
        return dict.fromkeys(numbers, _Channel(1))
    return {number: _Channel(number) for number in numbers}


def _held() -> list[int]:
    """Return which standard descriptors are closed; a file that the command does not get keeps each from our pipes."""
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
            command[0], list(command), os.environ, file_actions=actions, setsigmask=(), setsigdef=_DEFAULT
        )
    finally:
        for channel in set(channels.values()):
            os.close(channel.write)


class _Child:
    """The command while it runs; `ended` becomes readable when it has ended, with the exit code `code`."""

    def __init__(self, process: int, channels: list[_Channel]) -> None:
        self._process, self._channels = process, channels
        self.ended, self._end = os.pipe()
        self.code = -1

    def wait(self) -> None:
        """Wait for the end."""
        _, status = os.waitpid(self._process, 0)
        code = os.waitstatus_to_exitcode(status)
        self.code = code if code >= 0 else 128 - code
        os.close(self._end)

    def pass_signals(self) -> None:
        """Pass on the signals that were meant for us alone; what the terminal sends, it sends to the command too."""
        while True:
            number, is_for_all = _next_signal()
            if self.code >= 0:
                os._exit(self.code)
            if number == signal.SIGWINCH:
                for channel in self._channels:
                    channel.resize()
            if not is_for_all or number == signal.SIGWINCH:
                with suppress(ProcessLookupError):
                    os.kill(self._process, number)


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; return it, and whether the kernel sent it to everything in the terminal's foreground."""
    if hasattr(signal, "sigwaitinfo"):
        info = signal.sigwaitinfo(_PASSED)
        return info.si_signo, info.si_code > 0
    return signal.sigwait(_PASSED), any(_is_foreground(number) for number in range(3))


def _is_foreground(number: int) -> bool:
    return os.isatty(number) and os.tcgetpgrp(number) == os.getpgrp()


def _pass_all(channels: Sequence[_Channel], ended: int) -> deque[tuple[int, bytes]]:
    """Pass on all that the command writes until it has ended, and return the end of it, each piece with its descriptor.

    What it left running may go on writing, and nobody waits for that.
    """
    kept: deque[tuple[int, bytes]] = deque()
    size, left, by_end = 0, _LEFT, {channel.read: channel for channel in channels}
    while by_end and left > 0:
        ready, _, _ = select.select([*by_end, ended], [], [])
        if ready == [ended]:
            break
        for end in set(ready) - {ended}:
            piece = by_end[end].pass_on()
            kept.append((by_end[end].out, piece))
            size += len(piece)
            left -= len(piece) if ended in ready else 0
            if not piece:
                os.close(by_end.pop(end).read)
        while size > _KEPT:
            size -= len(kept.popleft()[1])
    select.select([ended], [], [])
    return kept


def _write(out: int, piece: bytes) -> None:
    while piece:
        try:
            piece = piece[os.write(out, piece) :]
        except BlockingIOError:
            select.select([], [out], [])


def _lines(pieces: deque[tuple[int, bytes]]) -> bytes:
    """Return pieces of several streams as one text, in which no line of one is torn by another's."""
    text, begun = [], {out: b"" for out, _ in pieces}
    for out, piece in pieces:
        whole, newline, begun[out] = (begun[out] + piece).rpartition(b"\n")
        text.append(whole + newline)
    return b"".join(text + [rest and rest + b"\n" for rest in begun.values()])
