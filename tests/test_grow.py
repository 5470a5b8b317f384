"""Knowledge out of the box: installed packages that a paste's frames name are mined, once, and served from then on."""

import os
import time
from pathlib import Path

import iniconfig
import pytest
from fastapi.testclient import TestClient

from tests.conftest import RECORDS
from whyraise import grow, grown
from whyraise.catalog import Catalog, open_sources
from whyraise.cli import main
from whyraise.explain import Explanation, explain
from whyraise.main import create_app
from whyraise.settings import Settings

PACKAGE = Path(iniconfig.__file__).parent
_LINES = (PACKAGE / "__init__.py").read_text("utf-8").splitlines()
LINE = next(number for number, line in enumerate(_LINES, 1) if line.strip() == "raise KeyError(name)")
PASTE = f"""Traceback (most recent call last):
  File "train.py", line 3, in <module>
    config["lr"]
  File "{PACKAGE}/__init__.py", line {LINE}, in __getitem__
    raise KeyError(name)
KeyError: 'lr'
"""


@pytest.fixture
def cache(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


def bundled(text: str, cache: str) -> Explanation:
    return explain(text, open_sources([str(RECORDS)], cache))


def wait(cache: str) -> None:
    """Wait until the process that mines has ended; it is not this one's to wait for."""
    for _ in range(600):
        if grown.known(cache) and not grow.is_growing(cache):
            return
        time.sleep(0.1)
    raise AssertionError("the packages were never mined")


def test_a_paste_is_answered_from_the_source_that_its_frames_name_and_the_package_follows(cache: str) -> None:
    first = grow.explained(bundled(PASTE, cache), PASTE, cache, 10)
    name = grow.label("iniconfig")
    assert [first.findings[0].record.origin, first.findings[0].record.site] == ["mined", "iniconfig/__init__.py"]
    assert first.growing == (name,)
    wait(cache)
    second = grow.explained(bundled(PASTE, cache), PASTE, cache, 10)
    assert second.findings[0].record.id == first.findings[0].record.id
    assert second.growing == ()
    assert grown.known(cache) == grown.Grown(second_path(cache), frozenset([name]))


def second_path(cache: str) -> str:
    made = grown.known(cache)
    assert made
    assert Catalog(made.path, cache).growing == ()
    return made.path


def test_a_frame_of_another_machine_is_found_in_the_packages_of_this_one(cache: str) -> None:
    other = PASTE.replace(str(PACKAGE.parent), "C:\\Users\\me\\venv\\Lib\\site-packages")
    assert grow.explained(bundled(other, cache), other, cache, 10).findings[0].record.site == "iniconfig/__init__.py"


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
    assert grow.explained(found, text, cache, 10) is found
    assert not os.path.exists(os.path.join(cache, "frames"))


def test_what_is_mined_once_is_not_mined_again(cache: str) -> None:
    assert grow.grow(["iniconfig"], cache)
    (path,) = Path(cache, "mined").iterdir()
    before = path.stat().st_mtime_ns
    assert grow.grow(["iniconfig", "pluggy"], cache)
    assert path.stat().st_mtime_ns == before
    assert len(list(Path(cache, "mined").iterdir())) == 2


def test_a_knowledge_file_that_is_damaged_or_of_another_version_is_made_anew(cache: str) -> None:
    assert grow.grow(["iniconfig"], cache)
    Path(cache, "grown.json").write_text("{}", "utf-8")
    assert grown.known(cache) is None
    assert grow.grow(["iniconfig"], cache)


def test_a_setting_turns_it_off(cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.txt").write_text(PASTE, "utf-8")
    monkeypatch.setenv("WHYRAISE_CACHE_DIR", cache)
    monkeypatch.setenv("WHYRAISE_MINE", "off")
    main(["explain", str(tmp_path / "p.txt")])
    assert not os.path.exists(os.path.join(cache, "frames"))


def test_the_service_says_what_it_still_learns_and_then_knows_it(cache: str) -> None:
    settings = Settings(cache_dir=cache, mine="iniconfig")
    with TestClient(create_app(settings)) as client:
        for _ in range(600):
            answer = client.post("/v1/explain", json={"text": PASTE}).json()
            if answer["findings"] and answer["findings"][0]["record"]["filePath"] == "iniconfig/__init__.py":
                break
            assert answer["growing"] in ([], [grow.label("iniconfig")])
            time.sleep(0.1)
        assert answer["growing"] == []
    with TestClient(create_app(settings)) as client:
        assert client.get("/readyz").json()["records"] > 90
