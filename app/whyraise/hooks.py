"""Hooks for unhandled exceptions: each adds a note about the known error, and then calls the previous hook.

`install()` hooks `sys.excepthook`, `threading.excepthook` and the log of asyncio; `watch(loop)` an event loop with a
handler of its own; `%load_ext whyraise` IPython and Jupyter. A separate process finds the note, since a program that
fails should not import anything more. Nothing is sent anywhere unless a server is named. No hook raises. Together they
delay a program by at most 0.2 seconds per minute. A look-up that takes longer goes on in its process, and so fills the
cache for the next time.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    import logging
    from types import TracebackType
    from typing import Any

# Seconds that a program may wait, and the period in seconds for which they count: with the delays of a busy scheduler,
# 0.17 become 0.2. And seconds that a user at a prompt may wait.
_WAIT, _PERIOD, _PROMPT_WAIT = 0.17, 60.0, 1.0
# Characters of a traceback that are sent, from its end: encoded, they fit into a pipe, so that writing never blocks.
_MAX_TEXT = 16_000
# Notes that are cached, for errors that occur again and again.
_MAX_CACHED = 64
# The environment variable of the processes that look up, so that none of them starts another.
_LOOKUP_VARIABLE = "WHYRAISE_ASKED"
_COMMAND = ["-P", "-W", "ignore", "-m", "whyraise", "explain", "--hint", "--min-confidence", "likely"]
# The prefix of every note, and those of an answer that explains the error.
_PREFIX, _KNOWN_PREFIXES = "whyraise: ", ("whyraise: exact: ", "whyraise: likely: ")


class Hooks:
    """Installed hooks; `remove()` restores the previous hooks."""

    def __init__(self, url: str, seconds: float) -> None:
        self._notes = _Notes(url, seconds)
        self._previous = (sys.excepthook, threading.excepthook)
        sys.excepthook, threading.excepthook = self._uncaught, self._uncaught_in_thread
        import logging  # noqa: PLC0415

        self._log = logging.getLogger("asyncio")  # event loops log exceptions there that no task awaits
        self._log.addFilter(self._logged)

    def remove(self) -> None:
        """Restore the previous hooks, except where something else has replaced ours since."""
        self._notes.stop()
        self._log.removeFilter(self._logged)
        if sys.excepthook == self._uncaught:
            sys.excepthook = self._previous[0]
        if threading.excepthook == self._uncaught_in_thread:
            threading.excepthook = self._previous[1]

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Add notes to the exceptions that an event loop passes to its own exception handler."""
        previous = loop.get_exception_handler()

        def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            try:
                self._notes.add(context.get("exception"))
            finally:
                previous(loop, context) if previous else loop.default_exception_handler(context)

        loop.set_exception_handler(handle)

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        try:
            self._notes.add(error)
        finally:  # also after Ctrl-C during the wait
            self._previous[0](kind, error, trace)

    def _uncaught_in_thread(self, arguments: threading.ExceptHookArgs) -> None:
        try:
            self._notes.add(arguments.exc_value)
        finally:
            self._previous[1](arguments)

    def _logged(self, record: logging.LogRecord) -> bool:
        if isinstance(record.exc_info, tuple):  # a log record made by hand may hold anything
            self._notes.add(record.exc_info[1])
        return True


def install(url: str = "", seconds: float = _WAIT) -> Hooks:
    """Install the hooks and return them.

    If `url` is given, that server is asked instead of this machine. `seconds` is how long they may wait per minute.
    """
    return Hooks(url, seconds)


class Prompt:
    """The hook of IPython and Jupyter."""

    def __init__(self, shell: Any, url: str = "") -> None:
        self._notes, self._shell = _Notes(url, _PROMPT_WAIT, period=0), shell
        self._previous = (shell.custom_exceptions, shell.CustomTB)
        shell.set_custom_exc((Exception,), self._show)

    def remove(self) -> None:
        """Restore the previous handler."""
        self._notes.stop()
        self._shell.custom_exceptions, self._shell.CustomTB = self._previous

    def _show(
        self, shell: Any, kind: type, error: Exception, trace: TracebackType, tb_offset: int | None = None
    ) -> Any:
        self._notes.add(error)
        kinds, show = self._previous
        if kinds and isinstance(error, kinds):
            return show(kind, error, trace, tb_offset=tb_offset)
        return shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


class _Notes:
    """Adds notes to exceptions, and limits the time that the program waits for them."""

    def __init__(self, url: str, wait: float, period: float = _PERIOD) -> None:
        self._url, self._wait, self._period = url, wait, period
        self._cached: dict[str, str] = {}
        self._processes: list[int] = []  # that nobody has waited for yet
        self._lock = threading.Lock()
        self._remaining, self._since = wait, time.monotonic()
        self._enabled = _LOOKUP_VARIABLE not in os.environ

    def stop(self) -> None:
        """Add no more notes."""
        self._enabled = False

    def add(self, error: BaseException | None) -> None:
        """Add a note to an exception if its error is known, unless that takes too long; never raise."""
        if not self._enabled or not isinstance(error, Exception) or not self._lock.acquire(blocking=False):
            return
        start = time.monotonic()
        try:
            if not any(str(note).startswith(_PREFIX) for note in getattr(error, "__notes__", ())):
                self._add(error, start)
        except Exception:  # noqa: BLE001  # the program's own error must be shown in any case
            return
        finally:
            self._remaining -= time.monotonic() - start
            self._lock.release()

    def _add(self, error: Exception, start: float) -> None:
        if start - self._since >= self._period:
            self._remaining, self._since = self._wait, start
        import traceback  # noqa: PLC0415

        text = "".join(traceback.format_exception(error))[-_MAX_TEXT:]
        answer = self._cached.get(text, "")
        if not answer and self._remaining > 0:
            answer = self._look_up(text, start + self._remaining)
            if answer and len(self._cached) < _MAX_CACHED:
                self._cached[text] = answer
        if answer.startswith(_KNOWN_PREFIXES):
            error.add_note(answer)

    def _look_up(self, text: str, deadline: float) -> str:
        """Return the answer of another process about a traceback, or an empty string if it does not answer in time."""
        process, output = _start([*_COMMAND, *(["--url", self._url] if self._url else [])], text)
        self._processes = [process, *filter(_is_running, self._processes)]
        try:
            return _read(output, deadline).decode("utf-8", "replace").rstrip()
        finally:
            os.close(output)


def _is_running(process: int) -> bool:
    """Return whether a process of ours is still running; if it has ended, this call also removes the zombie."""
    try:
        return os.waitpid(process, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def _start(arguments: list[str], text: str) -> tuple[int, int]:
    """Start Python in a session of its own with a text as input; return the process id and a descriptor of its output.

    `subprocess` would take time to import, and would warn about a process that nobody waits for.
    """
    input_read, input_write = os.pipe()
    output_read, output_write = os.pipe()
    actions = [
        (os.POSIX_SPAWN_DUP2, input_read, 0),
        (os.POSIX_SPAWN_DUP2, output_write, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        process = os.posix_spawn(
            sys.executable,
            [sys.executable, *arguments],
            {**os.environ, _LOOKUP_VARIABLE: "1"},
            file_actions=actions,
            setsid=True,
        )
        os.write(input_write, text.encode("utf-8", "replace"))
    except BaseException:
        os.close(output_read)
        raise
    finally:
        for end in (input_read, input_write, output_write):
            os.close(end)
    return process, output_read


def _read(output: int, deadline: float) -> bytes:
    """Read the output of a process to its end; return no bytes if it is incomplete at the deadline."""
    data, poll = b"", select.poll()  # select.select() accepts no descriptor above 1023
    poll.register(output, select.POLLIN)
    while True:
        ready = poll.poll(max(deadline - time.monotonic(), 0) * 1000)
        piece = os.read(output, 1 << 16) if ready else b""
        if not piece:
            return data if ready else b""
        data += piece
