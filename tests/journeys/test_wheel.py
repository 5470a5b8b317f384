"""The built wheel carries all that the installed command needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.repository import ROOT
from tests.support.seed import MESSAGE

PARTS = ("app", "records", "pyproject.toml", "README.md", "LICENSE", "NOTICE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built offline from a copy of what is committed, so that nothing is left in the checkout."""
    copy = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(ROOT / part, copy / part)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist", "."]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stderr
    [built] = (copy / "dist").glob("*.whl")
    return built


def below(folder: Path) -> set[str]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path) for path in paths if not {"__pycache__", ".pytest_cache"} & set(path.parts)}


def test_the_wheel_carries_every_module_and_every_record_folder_byte_for_byte(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in packed.namelist() if ".dist-info/" not in name}
    expected = {name: (ROOT / "app" / name).read_bytes() for name in below(ROOT / "app") if "egg-info" not in name}
    expected |= {
        f"whyraise/_records/{name}": (ROOT / "records" / name).read_bytes() for name in below(ROOT / "records")
    }
    assert files == expected


def test_the_installed_wheel_knows_the_first_error_beside_a_package_called_app_and_offline(
    wheel: Path, tmp_path: Path
) -> None:
    (tmp_path / "work" / "app").mkdir(parents=True)
    (tmp_path / "work" / "app" / "__init__.py").write_text("raise SystemExit('not ours')", encoding="utf-8")
    (tmp_path / "work" / "error.log").write_text(f"TypeError: {MESSAGE}", encoding="utf-8")
    venv.create(tmp_path / "env", with_pip=True)
    binaries = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    install = [
        str(binaries / "python"),
        "-m",
        "pip",
        "install",
        "--no-index",
        "--no-deps",
        "--force-reinstall",
        str(wheel),
    ]
    run(install, tmp_path)
    # The libraries that it depends on are those of this environment; its own modules come first.
    [site] = (tmp_path / "env").rglob("site-packages")
    (site / "dependencies.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path), "utf-8")
    output = run([str(binaries / "whyraise"), "explain", "error.log"], tmp_path / "work")
    assert output.startswith("Blocking backward sync is only possible")
    code = "import whyraise, whyraise.records.sources as s; print(whyraise.__file__, s.bundled_records())"
    assert run([str(binaries / "python"), "-c", code], tmp_path / "work").count(str(site)) == 2
    # Records that are installed again are seen to be others, though their folder alone is looked at.
    code = "from whyraise.records.sources import *; print(fingerprint(find_sources([bundled_records()], '')))"
    first, second = (run([str(binaries / "python"), "-c", code], tmp_path / "work") for _ in range(2))
    run(install, tmp_path)
    assert first == second != run([str(binaries / "python"), "-c", code], tmp_path / "work")


def run(command: list[str], folder: Path) -> str:
    """Run a command as on a machine without network, and return what it prints."""
    offline = {"PIP_CONFIG_FILE": os.devnull, "WHYRAISE_CACHE_DIR": str(folder / "cache"), "PATH": os.environ["PATH"]}
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
    done = subprocess.run(
        command, cwd=folder, env={**offline, **proxies}, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
