"""Runs commands through `whyraise run`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

WHYRAISE = [sys.executable, "-m", "whyraise"]


def run(command: Sequence[str], environment: Mapping[str, str], **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command through `whyraise run`, with pipes as standard streams."""
    full = [*WHYRAISE, "run", "--", *command]
    return subprocess.run(full, env=environment, capture_output=True, timeout=60, check=False, **options)


def python(code: str, *arguments: object) -> list[str]:
    """Return the command that runs Python code with these arguments."""
    return [sys.executable, "-c", code, *map(str, arguments)]
