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
from whyraise.prove.sandbox import WORKER, Sandbox, own_folder, start

_IMPORT_SECONDS = 90
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
        if isinstance(answer, list):
            return answer
        self.close()
        lines = ["the parent process of the ranks was killed"]
        killed = {"step": "", "raised": None, "exit": None, "stack": "", "lines": lines}
        return [killed] * int(request["ranks"])

    def close(self) -> None:
        """End the worker and every process below it."""
        process, self._process = self._process, None
        if process is None:
            return
        if self.sandbox.owns:
            process.kill()
        else:
            self._end(process)
        process.communicate()
        self._folder.close()

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
        versions = self._request(self._imports, _IMPORT_SECONDS)
        if not isinstance(versions, dict):
            assert self._process.stderr
            errors = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            self.close()
            raise BadInput(f"The libraries cannot be imported: {''.join(errors)}. Install whyraise[prove].")
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
        except ValueError:
            return None

    def _read_line(self, end: float) -> bytes:
        """Return the next line, or no bytes if the worker ended or `end` (on the monotonic clock) has passed."""
        assert self._process
        assert self._process.stdout
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._unread:
            ready = select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]
            data = os.read(pipe, 1 << 20) if ready else b""
            if not data:
                return b""
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        return line
