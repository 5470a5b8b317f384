"""What a project's `pyproject.toml` says, and what it cannot say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whyraise.ask.project import Project, read_project
from whyraise.errors import BadInput


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "errors").mkdir(parents=True)
    return folder


def write(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, "utf-8")


def test_records_and_muted_ids_are_read(project: Path) -> None:
    write(project, '[tool.whyraise]\nrecords = "errors"\nmute = ["a", "b"]\n')
    expected = Project(str(project / "pyproject.toml"), os.path.realpath(project / "errors"), frozenset("ab"))
    assert read_project(str(project / "pyproject.toml")) == expected


@pytest.mark.parametrize(
    "text", ["", "[project]\nname = 'x'\n", "[tool.other]\nwhyraise = 1\n", "whyraise is no TOML [", "\ufeffwhyraise"]
)
def test_a_project_that_says_nothing_is_none(text: str, project: Path) -> None:
    write(project, text)
    assert read_project(str(project / "pyproject.toml")) is None


@pytest.mark.parametrize(
    "records",
    [
        '"https://evil.example/records.json"',
        '"../outside"',
        '"/etc"',
        '"missing"',
        "3",
        '["errors"]',
        '"link"',
        '"a\\u0000b"',
    ],
)
def test_records_outside_of_the_project_are_refused(records: str, project: Path) -> None:
    (project.parent / "outside").mkdir()
    (project / "link").symlink_to(project.parent / "outside")
    write(project, f"[tool.whyraise]\nrecords = {records}\n")
    with pytest.raises(BadInput, match=r"`records` in \[tool.whyraise\] must be"):
        read_project(str(project / "pyproject.toml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.whyraise]\nurl = 'http://evil.example'\n", "unknown keys: url"),
        ("[tool.whyraise]\nmute = 'all'\n", "`mute` in .* must be a list of ids"),
        ("[tool]\nwhyraise = 3\n", "must be a table"),
    ],
)
def test_an_invalid_section_is_refused_with_what_is_wrong(text: str, message: str, project: Path) -> None:
    write(project, text)
    with pytest.raises(BadInput, match=message):
        read_project(str(project / "pyproject.toml"))
