"""Runs pytest with the plugin in separate processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

# Plugins of this environment that take a second to load and that these tests do not need.
OTHER_PLUGINS = [
    part for name in ("schemathesis", "hypothesispytest", "pytest_cov", "anyio") for part in ("-p", f"no:{name}")
]


def output_of(folder: Path, cache: Path, *options: str, code: int = 1, **environment: str) -> str:
    """Run the tests in a folder and return what pytest prints."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_"))}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-o",
        "whyraise_seconds=90",
        *OTHER_PLUGINS,
        *options,
        str(folder),
    ]
    done = subprocess.run(
        command, cwd=folder, env={**inherited, "WHYRAISE_CACHE_DIR": str(cache), **environment},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def sections(output: str) -> dict[str, str]:
    """Return the plugin's section in the report of each failed test, by the test's name; "" if it has none."""
    reports = re.split(r"(?m)^_{3,} (?:ERROR at setup of )?test_(\w+) _{3,}$", output)
    found = (re.search(r"(?ms)^-{3,} whyraise -{3,}\n(.*?)(?:^$|^={3,})", report) for report in reports[2::2])
    return {name: part[1] if part else "" for name, part in zip(reports[1::2], found, strict=True)}
