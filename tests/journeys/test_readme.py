"""What the README shows is run: its shell and Python snippets, its table of settings, its example."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.readme import README, SNIPPETS, TEXT
from tests.support.repository import RECORDS
from tests.support.serving import live
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.settings import PREFIX, Settings


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with live(Settings(mine="off", cache_dir=str(tmp_path_factory.mktemp("cache")))) as address:
        yield address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the README's paste and the repository's records."""
    (tmp_path / "error.log").write_text(SNIPPETS[0][1], "utf-8")
    shutil.copytree(RECORDS, tmp_path / "records")
    return tmp_path


def ran(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": str(folder / "cache")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("number", [n for n, (kind, _) in enumerate(SNIPPETS) if kind == "sh"])
def test_a_shell_snippet_runs(number: int, folder: Path, address: str) -> None:
    lines = [line for line in SNIPPETS[number][1].splitlines() if "whyraise serve" not in line]
    script = "set -euo pipefail\n" + "\n".join(lines).replace("127.0.0.1:8000", address)
    if "records.db" in script and "build" not in script:
        script = "whyraise build records -o records.db\n" + script
    done = ran(["bash", "-c", script], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout


@pytest.mark.parametrize("number", [n for n, (kind, _) in enumerate(SNIPPETS) if kind == "python"])
def test_a_python_snippet_runs(number: int, folder: Path, address: str) -> None:
    done = ran([sys.executable, "-c", SNIPPETS[number][1].replace("127.0.0.1:8000", address)], folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("exact 75efde825de8eed0")


def test_the_example_answer_is_what_the_example_paste_gets(bundled: Catalog) -> None:
    [finding] = explain(SNIPPETS[0][1], bundled).findings
    shown = " ".join(SNIPPETS[1][1].split())
    assert f"**{finding.confidence}**, line {finding.line}: " + "; ".join(one.text for one in finding.evidence) in shown
    assert all(f"`{one.name}` = `{one.value}`" in shown for one in finding.captures)


def test_the_table_of_settings_is_complete_and_true() -> None:
    rows = dict(re.findall(rf"^\| `{PREFIX}(\w+)` \| (.*?) \|", TEXT, re.M))
    defaults = {name.upper(): str(value) for name, value in Settings()._asdict().items()}
    assert rows.keys() == defaults.keys()
    assert {name: row for name, row in rows.items() if defaults[name]} == {n: v for n, v in defaults.items() if v}


def test_every_file_that_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", TEXT)
    assert [link for link in links if not (README.parent / link).exists()] == []
