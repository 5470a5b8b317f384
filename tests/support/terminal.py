"""Runs commands as at a terminal: in a new session whose controlling terminal is a pseudo-terminal."""

import os
import select
import subprocess
import termios
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

SIZE = (33, 97)


class Typed(NamedTuple):
    """Keys that are typed as soon as the output contains the bytes `after`."""

    after: bytes
    keys: bytes


class Screen(NamedTuple):
    """The bytes that a terminal received, and the exit code of the command."""

    output: bytes
    code: int


class Terminal:
    """A pseudo-terminal of size `SIZE`; unless `converts` is true, it passes newlines on unchanged."""

    def __init__(self, converts: bool = True) -> None:
        self.screen, self.end = os.openpty()
        modes = termios.tcgetattr(self.end)
        if not converts:
            modes[1] &= ~termios.OPOST
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(self.end, termios.TCSANOW, modes)
        termios.tcsetwinsize(self.end, SIZE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.screen)

    def run(self, command: Sequence[str], environment: Mapping[str, str], typed: Sequence[Typed] = ()) -> Screen:
        """Run a command, type the keys, and return everything that it wrote."""
        full = ["setsid", "--ctty", "--wait", *command]
        with subprocess.Popen(full, stdin=self.end, stdout=self.end, stderr=self.end, env=environment) as process:
            os.close(self.end)
            output, remaining = b"", list(typed)
            while piece := self._read():
                output += piece
                while remaining and remaining[0].after in output:
                    os.write(self.screen, remaining.pop(0).keys)
        return Screen(output, process.returncode)

    def _read(self) -> bytes:
        select.select([self.screen], [], [], 60)
        try:
            return os.read(self.screen, 1 << 16)
        except OSError:
            return b""
