"""Hooks for where exceptions end unhandled: each gets a note of what is known, and then the hook that was there before.

`install()` hooks `sys.excepthook`, `threading.excepthook` and the log of asyncio; `watch(loop)` an event loop with a
handler of its own; `%load_ext whyraise` IPython and Jupyter. The note comes from a process of its own, since a program
that is dying should import nothing more. Nothing is sent anywhere unless a server is named. No hook raises, and
together they hold a program for no more than 0.2 seconds in a minute. A look-up that takes longer goes on without it,
and so fills the cache for the next time.
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

# Seconds for which a program waits in so many seconds: it is held for 0.2 with what a busy scheduler adds. And seconds
# for which somebody at a prompt waits.
_HELD, _EVERY, _AT_A_PROMPT = 0.17, 60.0, 1.0
# Characters of a traceback that are looked at, from its end: as bytes they fit into a pipe, and writing never waits.
_LONGEST = 16_000
# Notes that are remembered, for errors that come again and again.
_REMEMBERED = 64
# Set for the processes that look up, so that none of them starts another.
_ASKED = "WHYRAISE_ASKED"
_COMMAND = ["-P", "-W", "ignore", "-m", "whyraise", "explain", "--hint", "--min-confidence", "likely"]
# How notes begin, and how an answer does that knows something.
_MARK, _KNOWN = "whyraise: ", ("whyraise: exact: ", "whyraise: likely: ")


class Hooks:
    """Hooks in place; `remove()` puts back what was there before."""

    def __init__(self, url: str, seconds: float) -> None:
        self._notes = _Notes(url, seconds)
        self._hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook, threading.excepthook = self._uncaught, self._uncaught_in_thread
        import logging  # noqa: PLC0415

        self._log = logging.getLogger("asyncio")  # where loops tell of exceptions that nobody awaits
        self._log.addFilter(self._logged)

    def remove(self) -> None:
        """Put back the hooks of before, but for those that something else has replaced since."""
        self._notes.stop()
        self._log.removeFilter(self._logged)
        if sys.excepthook == self._uncaught:
            sys.excepthook = self._hooks[0]
        if threading.excepthook == self._uncaught_in_thread:
            threading.excepthook = self._hooks[1]

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Add notes to what an event loop's own exception handler is given."""
        previous = loop.get_exception_handler()

        def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            try:
                self._notes.add(context.get("exception"))
            finally:
                previous(loop, context) if previous else loop.default_exception_handler(context)

        loop.set_exception_handler(handle)

    def _uncaught(self, kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        try:
            self._notes.add(error)
        finally:  # Ctrl-C while it waits
            self._hooks[0](kind, error, place)

    def _uncaught_in_thread(self, arguments: threading.ExceptHookArgs) -> None:
        try:
            self._notes.add(arguments.exc_value)
        finally:
            self._hooks[1](arguments)

    def _logged(self, record: logging.LogRecord) -> bool:
        if isinstance(record.exc_info, tuple):  # a record made by hand may hold anything
            self._notes.add(record.exc_info[1])
        return True


def install(url: str = "", seconds: float = _HELD) -> Hooks:
    """Put the hooks in place and return them.

    With `url` a server is asked instead of this machine. `seconds` is how long they may wait in a minute.
    """
    return Hooks(url, seconds)


class Prompt:
    """The hook of IPython and Jupyter."""

    def __init__(self, shell: Any, url: str = "") -> None:
        self._notes, self._shell = _Notes(url, _AT_A_PROMPT, every=0), shell
        self._previous = (shell.custom_exceptions, shell.CustomTB)
        shell.set_custom_exc((Exception,), self._show)

    def remove(self) -> None:
        """Put back the handler of before."""
        self._notes.stop()
        self._shell.custom_exceptions, self._shell.CustomTB = self._previous

    def _show(
        self, shell: Any, kind: type, error: Exception, place: TracebackType, tb_offset: int | None = None
    ) -> Any:
        self._notes.add(error)
        kinds, show = self._previous
        if kinds and isinstance(error, kinds):
            return show(kind, error, place, tb_offset=tb_offset)
        return shell.showtraceback((kind, error, place), tb_offset=tb_offset)


class _Notes:
    """Adds notes to exceptions, and holds the program no longer than it may."""

    def __init__(self, url: str, held: float, every: float = _EVERY) -> None:
        self._url, self._held, self._every = url, held, every
        self._known: dict[str, str] = {}
        self._started: list[int] = []  # processes that nobody has waited for yet
        self._lock = threading.Lock()
        self._left, self._since = held, time.monotonic()
        self._on = _ASKED not in os.environ

    def stop(self) -> None:
        """Add none from now on."""
        self._on = False

    def add(self, error: BaseException | None) -> None:
        """Add what is known to an exception, unless it would take too long; never raise."""
        if not self._on or not isinstance(error, Exception) or not self._lock.acquire(blocking=False):
            return
        start = time.monotonic()
        try:
            if not any(str(note).startswith(_MARK) for note in getattr(error, "__notes__", ())):
                self._add(error, start)
        except Exception:  # noqa: BLE001  # there is an error already that somebody waits to see
            return
        finally:
            self._left -= time.monotonic() - start
            self._lock.release()

    def _add(self, error: Exception, start: float) -> None:
        if start - self._since >= self._every:
            self._left, self._since = self._held, start
        import traceback  # noqa: PLC0415

        text = "".join(traceback.format_exception(error))[-_LONGEST:]
        said = self._known.get(text, "")
        if not said and self._left > 0:
            said = self._looked_up(text, start + self._left)
            if said and len(self._known) < _REMEMBERED:
                self._known[text] = said
        if said.startswith(_KNOWN):
            error.add_note(said)

    def _looked_up(self, text: str, deadline: float) -> str:
        """Return what another process says of a traceback, or nothing where it does not in time."""
        process, answer = _started([*_COMMAND, *(["--url", self._url] if self._url else [])], text)
        self._started = [process, *filter(_runs, self._started)]
        try:
            return _read(answer, deadline).decode("utf-8", "replace").rstrip()
        finally:
            os.close(answer)


def _runs(process: int) -> bool:
    """Say whether a process of ours still runs; one that does not leaves nothing behind after this."""
    try:
        return os.waitpid(process, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def _started(arguments: list[str], text: str) -> tuple[int, int]:
    """Start a process of its own session that is given a text; return its number, and where its answer is read.

    `subprocess` would cost an import, and warn of a process that is left to itself.
    """
    given, giving = os.pipe()
    answer, answering = os.pipe()
    actions = [
        (os.POSIX_SPAWN_DUP2, given, 0),
        (os.POSIX_SPAWN_DUP2, answering, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        process = os.posix_spawn(
            sys.executable,
            [sys.executable, *arguments],
            {**os.environ, _ASKED: "1"},
            file_actions=actions,
            setsid=True,
        )
        os.write(giving, text.encode("utf-8", "replace"))
    except BaseException:
        os.close(answer)
        raise
    finally:
        for end in (given, giving, answering):
            os.close(end)
    return process, answer


def _read(answer: int, deadline: float) -> bytes:
    """Return an answer, or nothing where it is not whole before the deadline."""
    said, waiting = b"", select.poll()  # select.select() takes no descriptor above 1023
    waiting.register(answer, select.POLLIN)
    while True:
        ready = waiting.poll(max(deadline - time.monotonic(), 0) * 1000)
        piece = os.read(answer, 1 << 16) if ready else b""
        if not piece:
            return said if ready else b""
        said += piece
