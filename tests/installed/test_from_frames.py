"""Answers from the installed files that a paste's frames name."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.installed import PACKAGE, PASTE
from whyraise.ask.answer import answer
from whyraise.ask.knowledge import open_knowledge
from whyraise.cli.main import main
from whyraise.installed import from_frames, grow, process, state
from whyraise.lookup.explanation import Explanation
from whyraise.reading.exceptions import parse
from whyraise.reading.paste import clean
from whyraise.settings import Settings


def explain_with_mining(text: str, cache: str) -> Explanation:
    return answer(text, open_knowledge(Settings(cache_dir=cache)))


def mined_files(cache: str) -> list[Path]:
    """Return the files of records that were mined from files which frames name."""
    return list(Path(cache, "frames").glob("*.jsonl"))


def test_a_paste_is_answered_from_the_files_that_its_frames_name_until_the_package_is_mined(cache: str) -> None:
    first = explain_with_mining(PASTE, cache)
    label = grow.label("iniconfig")
    assert [first.findings[0].record.origin, first.findings[0].record.site] == ["mined", "iniconfig/__init__.py"]
    assert first.growing == (label,)
    os.waitpid(-1, 0)  # wait for the background process that mines
    second = explain_with_mining(PASTE, cache)
    assert second.findings[0].record.id == first.findings[0].record.id
    assert second.growing == ()
    mined = state.mined_knowledge(cache)
    assert mined
    assert mined.packages == frozenset([label])


def test_a_file_of_another_machine_is_found_among_the_packages_of_this_one(cache: str) -> None:
    other = PASTE.replace(str(PACKAGE.parent), "C:\\Users\\me\\venv\\Lib\\site-packages")
    assert explain_with_mining(other, cache).findings[0].record.site == "iniconfig/__init__.py"
    os.waitpid(-1, 0)


def test_packages_of_another_interpreter_are_not_mined_as_a_whole(cache: str, tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    shutil.copytree(PACKAGE, site / "iniconfig")
    (site / "iniconfig-0.1.dist-info").mkdir()
    (site / "iniconfig-0.1.dist-info/METADATA").write_text("Name: iniconfig\nVersion: 0.1\n", "utf-8")
    explanation = explain_with_mining(PASTE.replace(str(PACKAGE.parent), str(site)), cache)
    assert explanation.findings[0].record.site == "iniconfig/__init__.py"
    assert (explanation.growing, state.mined_knowledge(cache)) == ((), None)
    assert not process.is_mining(cache)


def test_a_service_reads_no_file_of_another_interpreter_that_a_paste_names(cache: str, tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    shutil.copytree(PACKAGE, site / "iniconfig")
    (site / "iniconfig-0.1.dist-info").mkdir()
    (site / "iniconfig-0.1.dist-info/METADATA").write_text("Name: iniconfig\nVersion: 0.1\n", "utf-8")
    text = PASTE.replace(str(PACKAGE.parent), str(site))
    found = answer(text, open_knowledge(Settings(cache_dir=cache), is_service=True))
    assert "mined" not in [finding.record.origin for finding in found.findings]
    assert not mined_files(cache)


@pytest.mark.parametrize(
    "path",
    [
        "/home/me/project/model.py",
        "/usr/lib/python3/dist-packages/nowhere/x.py",
        "/site-packages/../../etc/passwd",
        "<string>",
    ],
)
def test_files_of_no_installed_package_are_not_read(path: str, cache: str) -> None:
    text = PASTE.replace(f"{PACKAGE}/__init__.py", path)
    exceptions = parse(clean(text)).blocks
    assert from_frames.mine_frames(exceptions, Settings(cache_dir=cache), any_path=True) is None
    assert not mined_files(cache)


def test_a_second_lookup_of_the_same_files_reads_no_source(cache: str, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(PASTE, "utf-8")
    command = [sys.executable, "-X", "importtime", "-m", "whyraise", "explain", str(tmp_path / "p.txt")]
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": cache}
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True) for _ in range(2)]
    heavy = ("whyraise.mine", "whyraise.installed.grow\n", "importlib.metadata")
    assert [[name in run.stderr for name in heavy] for run in runs] == [[True] * 3, [False] * 3]


@pytest.mark.parametrize("chosen", ["off", "pluggy"])
def test_a_setting_excludes_packages_from_mining(
    chosen: str, cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.txt").write_text(PASTE, "utf-8")
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", cache)
    monkeypatch.setenv("WHYRAISE_MINE", chosen)
    main(["explain", "--json", str(tmp_path / "p.txt")])
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert "iniconfig/__init__.py" not in [finding["record"]["filePath"] for finding in findings]
    assert not mined_files(cache)


def test_the_command_line_uses_mined_packages_and_names_those_still_being_mined(
    cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.txt").write_text(PASTE, "utf-8")
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", cache)
    growing = f"Knowledge is still growing: {grow.label('iniconfig')} are being read."
    assert main(["explain", "--md", str(tmp_path / "p.txt")]) == 0
    out = capsys.readouterr().out
    assert (growing in out, "iniconfig/__init__.py" in out) == (True, True)
    os.waitpid(-1, 0)
    assert main(["explain", "--md", str(tmp_path / "p.txt")]) == 0
    out = capsys.readouterr().out
    assert ("still growing" in out, "iniconfig/__init__.py" in out) == (False, True)
