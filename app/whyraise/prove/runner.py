"""The warm parent from outside: started when first needed, asked stage by stage, ended when it goes astray."""

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
from whyraise.prove.sandbox import Sandbox, own_folder, start, warm_file

_IMPORT_SECONDS = 90
_SPARE_SECONDS = 10  # what a stage may take beyond its own limit before the warm parent itself is ended


class Runner:
    """Runs stages in one sandbox; use it in a `with` block, so that nothing is left."""

    def __init__(self, sandbox: Sandbox, imports: Sequence[str]) -> None:
        self.sandbox, self._imports = sandbox, list(imports)
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._folder = ExitStack()
        self.versions: dict[str, str] = {}

    def __enter__(self) -> Runner:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Run one stage and return what each rank ended with; where a rank ended their parent, that is said for all."""
        self._start()
        answer = self._ask({**request, "contained": self.sandbox.owns}, request["limit"] + _SPARE_SECONDS)
        if isinstance(answer, list):
            return answer
        self.close()
        dead = {"step": "", "raised": None, "exit": None, "stack": "", "lines": ["the ranks' parent was ended"]}
        return [dead] * int(request["ranks"])

    def close(self) -> None:
        """End the warm parent and all below it."""
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
        """End a process without a namespace of its own: it ends what it started; the rest goes with its group."""
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SPARE_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def _start(self) -> None:
        if self._process and self._process.poll() is None:
            return
        self.close()
        self._rest = b""
        folder = self._folder.enter_context(own_folder(self.sandbox))
        self._process = start(self.sandbox, [str(warm_file())], folder)
        versions = self._ask(self._imports, _IMPORT_SECONDS)
        if not isinstance(versions, dict):
            assert self._process.stderr
            said = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            self.close()
            raise BadInput(f"The libraries cannot be imported: {''.join(said)}. Install whyraise[prove].")
        self.versions = versions

    def _ask(self, content: object, seconds: float) -> Any:
        """Return the answer to one request, or nothing where the warm parent ended or is over its time."""
        assert self._process
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(content).encode() + b"\n")
            self._process.stdin.flush()
            line = self._line(time.monotonic() + seconds)
        except BrokenPipeError:
            return None
        try:
            return json.loads(line) if line else None
        except ValueError:
            return None

    def _line(self, end: float) -> bytes:
        assert self._process
        assert self._process.stdout
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._rest:
            ready = select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]
            data = os.read(pipe, 1 << 20) if ready else b""
            if not data:
                return b""
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line
