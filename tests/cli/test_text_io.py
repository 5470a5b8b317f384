"""What commands read and print."""

import os
import sys

from tests.support.terminal import Terminal

PROGRAM = """
import sys
from whyraise.cli.text_io import show_progress
print(*map(len, show_progress(["a" * 4_000_000, "b" * 1_500_000])))
print("tqdm" in sys.modules)
"""


def test_a_terminal_shows_how_much_of_a_log_has_been_read() -> None:
    with Terminal() as terminal:
        screen = terminal.run([sys.executable, "-c", PROGRAM], os.environ)
    assert b"5.50M characters" in screen.output
    assert b"4000000 1500000\r\nTrue\r\n" in screen.output
    assert screen.code == 0
