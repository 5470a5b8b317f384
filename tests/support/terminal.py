"""Runs commands as at a terminal: in a session of their own whose controlling terminal is a pseudo-terminal."""

import os
import select
import subprocess
import termios
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

SIZE = (33, 97)


class Typed(NamedTuple):
    """What is typed once the output holds some bytes."""

    after: bytes
    keys: bytes


class Shown(NamedTuple):
    """What a terminal was sent, and the exit code."""

    output: bytes
    code: int


class Terminal:
    """A pseudo-terminal of a size; without `converts` it passes newlines on as they come."""

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

    def run(self, command: Sequence[str], environment: Mapping[str, str], typed: Sequence[Typed] = ()) -> Shown:
        """Run a command, type what is to be typed, and return all that came out."""
        full = ["setsid", "--ctty", "--wait", *command]
        with subprocess.Popen(full, stdin=self.end, stdout=self.end, stderr=self.end, env=environment) as process:
            os.close(self.end)
            output, left = b"", list(typed)
            while piece := self._read():
                output += piece
                while left and left[0].after in output:
                    os.write(self.screen, left.pop(0).keys)
        return Shown(output, process.returncode)

    def _read(self) -> bytes:
        select.select([self.screen], [], [], 60)
        try:
            return os.read(self.screen, 1 << 16)
        except OSError:
            return b""
