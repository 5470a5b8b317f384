"""The built wheel carries all that the installed command needs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
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


def test_the_unpacked_wheel_finds_its_records_beside_a_package_called_app(wheel: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(wheel, tmp_path / "site", "zip")
    (tmp_path / "work" / "app").mkdir(parents=True)
    (tmp_path / "work" / "app" / "__init__.py").write_text("raise SystemExit('not ours')", encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r});"
        "from whyraise.build import build; from whyraise.sources import bundled_records;"
        "built = build([bundled_records()], 'k.db'); print(bundled_records(), built.datasets[0].name, built.faults)"
    )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, cwd=tmp_path / "work", capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"{tmp_path}/site/whyraise/_records records ()\n"
