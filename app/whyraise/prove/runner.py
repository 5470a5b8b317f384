"""Runs stages in the worker of a sandbox: starts it, sends one request per stage, and ends it if it does not answer."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any

from whyraise.errors import BadInput
from whyraise.prove.answers import MAX_ANSWER, read_results, read_versions
from whyraise.prove.sandbox import WORKER, Sandbox, own_folder, start
from whyraise.safe_text import replace_controls

_IMPORT_SECONDS = 90
_MAX_ERROR = 500
_SPARE_SECONDS = 10  # that a stage may take beyond its own limit before the worker itself is ended


class Runner:
    """Runs stages in one sandbox; a `with` block ends every process and removes the sandbox's folder."""

    def __init__(self, sandbox: Sandbox, imports: Sequence[str]) -> None:
        self.sandbox, self._imports = sandbox, list(imports)
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""
        self._folder = ExitStack()
        self.versions: dict[str, str] = {}

    def __enter__(self) -> Runner:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Run one stage and return the result of each rank; if a rank killed the worker, every result says so."""
        self._start()
        answer = self._request({**request, "contained": self.sandbox.owns}, request["limit"] + _SPARE_SECONDS)
        if results := read_results(answer, int(request["ranks"])):
            return results
        self.close()
        lines = ["the parent process of the ranks was killed"]
        killed = {"step": "", "raised": None, "exit": None, "stack": "", "lines": lines}
        return [killed] * int(request["ranks"])

    def close(self) -> None:
        """End the worker and every process below it."""
        if self._process is not None:
            self._close()

    def _close(self) -> bytes:
        """End a worker that was started, and return what it wrote to its standard error."""
        process, self._process = self._process, None
        assert process
        if self.sandbox.owns:
            process.kill()
        else:
            self._end(process)
        errors = process.communicate()[1]
        self._folder.close()
        return errors

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End a worker that has no process namespace: it ends its children; then its process group is killed."""
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SPARE_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def _start(self) -> None:
        if self._process and self._process.poll() is None:
            return
        self.close()
        self._unread = b""
        folder = self._folder.enter_context(own_folder(self.sandbox))
        self._process = start(self.sandbox, [str(WORKER)], folder)
        versions = read_versions(self._request(self._imports, _IMPORT_SECONDS))
        if versions is None:
            errors = self._close().decode("utf-8", "replace").strip().splitlines()[-1:]
            reason = replace_controls("".join(errors))[:_MAX_ERROR]
            raise BadInput(f"The libraries cannot be imported: {reason}. Install whyraise[prove].")
        self.versions = versions

    def _request(self, content: object, seconds: float) -> Any:
        """Return the answer to one request, or None if the worker ended or did not answer in time."""
        assert self._process
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(content).encode() + b"\n")
            self._process.stdin.flush()
            line = self._read_line(time.monotonic() + seconds)
        except BrokenPipeError:
            return None
        try:
            return json.loads(line) if line else None
        except (ValueError, RecursionError):
            return None

    def _read_line(self, end: float) -> bytes:
        """Return the next line, or no bytes if the worker ended, wrote too much, or `end` has passed.

        `end` is a time of the monotonic clock.
        """
        assert self._process
        assert self._process.stdout
        pipe = self._process.stdout.fileno()
        parts = [self._unread]
        while b"\n" not in parts[-1]:
            ready = select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]
            data = os.read(pipe, 1 << 20) if ready else b""
            if not data or sum(map(len, parts)) > MAX_ANSWER:
                return b""
            parts.append(data)
        line, _, self._unread = b"".join(parts).partition(b"\n")
        return line
