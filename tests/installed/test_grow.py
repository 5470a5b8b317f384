"""Knowledge out of the box: installed packages that a paste's frames name are mined, once, and served from then on."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.support.installed import PACKAGE, PASTE, labels
from tests.support.repository import RECORDS
from whyraise.cli.main import main
from whyraise.errors import BadInput
from whyraise.installed import from_frames, grow, process, state
from whyraise.knowledge.catalog import Catalog, open_sources
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Explanation
from whyraise.main import create_api
from whyraise.settings import Settings


@pytest.fixture
def cache(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


def bundled(text: str, cache: str) -> Explanation:
    return explain(text, open_sources([str(RECORDS)], cache))


def explained(text: str, cache: str) -> Explanation:
    made = state.known(cache)
    found = explain(text, Catalog(made.path, cache)) if made else bundled(text, cache)
    return from_frames.explained(found, text, Settings(cache_dir=cache), 10)


def mined_files(cache: str) -> list[Path]:
    """Return what was mined of the files that frames name."""
    return list(Path(cache, "frames").glob("*.jsonl"))


def test_a_paste_is_answered_from_the_source_that_its_frames_name_and_the_package_follows(cache: str) -> None:
    first = explained(PASTE, cache)
    name = grow.label("iniconfig")
    assert [first.findings[0].record.origin, first.findings[0].record.site] == ["mined", "iniconfig/__init__.py"]
    assert first.growing == (name,)
    os.waitpid(-1, 0)  # the process that mines, which was started meanwhile
    second = explained(PASTE, cache)
    assert second.findings[0].record.id == first.findings[0].record.id
    assert second.growing == ()
    made = state.known(cache)
    assert made
    assert made.packages == frozenset([name])


def test_a_frame_of_another_machine_is_found_in_the_packages_of_this_one(cache: str) -> None:
    other = PASTE.replace(str(PACKAGE.parent), "C:\\Users\\me\\venv\\Lib\\site-packages")
    assert explained(other, cache).findings[0].record.site == "iniconfig/__init__.py"
    os.waitpid(-1, 0)


def test_of_another_interpreters_packages_the_files_alone_are_known_and_nothing_is_said_to_grow(
    cache: str, tmp_path: Path
) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    shutil.copytree(PACKAGE, site / "iniconfig")
    (site / "iniconfig-0.1.dist-info").mkdir()
    (site / "iniconfig-0.1.dist-info/METADATA").write_text("Name: iniconfig\nVersion: 0.1\n", "utf-8")
    found = explained(PASTE.replace(str(PACKAGE.parent), str(site)), cache)
    assert found.findings[0].record.site == "iniconfig/__init__.py"
    assert (found.growing, state.known(cache)) == ((), None)
    assert not process.is_growing(cache)


@pytest.mark.parametrize(
    "path",
    [
        "/home/me/project/model.py",
        "/usr/lib/python3/dist-packages/nowhere/x.py",
        "/site-packages/../../etc/passwd",
        "<string>",
    ],
)
def test_files_that_no_installed_package_has_are_not_read(path: str, cache: str) -> None:
    text = PASTE.replace(f"{PACKAGE}/__init__.py", path)
    found = bundled(text, cache)
    assert from_frames.explained(found, text, Settings(cache_dir=cache), 10) is found
    assert not mined_files(cache)


def test_a_second_look_at_the_same_files_reads_no_source(cache: str, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(PASTE, "utf-8")
    command = [sys.executable, "-X", "importtime", "-m", "whyraise", "explain", str(tmp_path / "p.txt")]
    environment = {**os.environ, "WHYRAISE_CACHE_DIR": cache}
    first, second = (subprocess.run(command, env=environment, capture_output=True, text=True) for _ in range(2))
    heavy = ("whyraise.mine", "whyraise.installed.grow\n", "importlib.metadata")
    assert [[name in each.stderr for name in heavy] for each in (first, second)] == [[True] * 3, [False] * 3]


def test_what_is_mined_once_is_not_mined_again(cache: str) -> None:
    assert grow.grow(labels("iniconfig"), cache)
    (path,) = Path(cache, "mined", state.made_by()).iterdir()
    before = path.stat().st_mtime_ns
    assert grow.grow(labels("iniconfig", "pluggy"), cache)
    assert path.stat().st_mtime_ns == before
    assert len(list(Path(cache, "mined", state.made_by()).iterdir())) == 2


def test_a_knowledge_file_that_is_damaged_or_of_another_version_is_made_anew(cache: str) -> None:
    assert grow.grow(labels("iniconfig"), cache)
    Path(cache, "grown.json").write_text("{}", "utf-8")
    assert state.known(cache) is None
    assert grow.grow(labels("iniconfig"), cache)


@pytest.mark.parametrize("chosen", ["off", "pluggy"])
def test_a_setting_leaves_packages_out(
    chosen: str, cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.txt").write_text(PASTE, "utf-8")
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", cache)
    monkeypatch.setenv("WHYRAISE_MINE", chosen)
    main(["explain", "--json", str(tmp_path / "p.txt")])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert "iniconfig/__init__.py" not in [each["record"]["filePath"] for each in found]
    assert not mined_files(cache)


def test_the_command_line_knows_what_was_mined_and_says_what_is_still_read(
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


def test_the_command_mines_what_it_is_given_and_names_what_is_not_installed(
    cache: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", cache)
    monkeypatch.setattr(os, "nice", lambda _: 0)  # the tests that follow are not to be slowed down
    assert main(["grow", "iniconfig"]) == 0
    assert capsys.readouterr().out == "1 packages are known.\n"
    assert main(["grow", "nowhere"]) == 2
    assert "nowhere is not installed" in capsys.readouterr().err


def test_modules_in_the_folder_that_somebody_stands_in_are_not_run(
    cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ast.py").write_text("open('was-run', 'w')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    os.waitpid(process.start(["iniconfig"], cache), 0)
    assert state.known(cache)
    assert not (tmp_path / "was-run").exists()


def test_the_service_says_what_it_still_learns_and_then_knows_it(cache: str) -> None:
    app = create_api(Settings(cache_dir=cache, mine="iniconfig"))
    with TestClient(app) as client:
        assert client.post("/v1/explain", json={"text": PASTE}).json()["growing"] in ([], [grow.label("iniconfig")])
        wait(client, app)
        answer = client.post("/v1/explain", json={"text": PASTE}).json()
        assert (answer["findings"][0]["record"]["filePath"], answer["growing"]) == ("iniconfig/__init__.py", [])
    with TestClient(app) as client:
        wait(client, app)
        assert client.get("/readyz").json()["records"] > 90


def wait(client: TestClient, app: FastAPI) -> None:
    """Wait until the service has put in place what it mines."""
    assert client.portal
    client.portal.call(asyncio.wait, [app.state.growing])


def test_the_service_does_not_start_where_it_shall_mine_what_is_not_installed(cache: str) -> None:
    app = create_api(Settings(cache_dir=cache, mine="nowhere"))
    with pytest.raises(BadInput, match="nowhere is not installed"), TestClient(app):
        pass


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (PASTE, True),
        (PASTE.replace("/site-packages/", "\\Lib\\site-packages\\"), True),
        (PASTE.replace(str(PACKAGE), "/home/me/project"), False),
        ("KeyError: 'lr'\n", False),
    ],
)
def test_source_is_asked_only_where_frames_show_installed_files(text: str, more: bool, cache: str) -> None:
    assert state.asks_for_more(bundled(text, cache)) is more


def test_source_is_not_asked_again_where_the_raising_file_is_known(cache: str) -> None:
    assert grow.grow(labels("iniconfig"), cache)
    made = state.known(cache)
    assert made
    assert not state.asks_for_more(explain(PASTE, Catalog(made.path, cache)))
