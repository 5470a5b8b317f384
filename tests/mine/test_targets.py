"""The files of what can be mined."""

import zipfile
from pathlib import Path

import pytest

from whyraise.errors import BadInput
from whyraise.mine.mine import mine
from whyraise.mine.targets import source_files


def test_a_wheel_is_mined_as_it_would_be_installed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "thing-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("thing/a.py", "raise ValueError('from a wheel')\n")
    [file] = source_files(str(tmp_path / "thing-1.0-py3-none-any.whl"), tmp_path / "out")
    assert file.site == "thing/a.py"
    assert [envelope["record"]["filePath"] for envelope in mine([file])] == ["thing/a.py"]


def test_an_invalid_target_is_rejected_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no-such-thing is not installed"):
        source_files("no-such-thing", tmp_path)
    (tmp_path / "bad.whl").write_text("x")
    with pytest.raises(BadInput, match=r"bad\.whl cannot be unpacked"):
        source_files(str(tmp_path / "bad.whl"), tmp_path)
