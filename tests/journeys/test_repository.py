"""What the repository promises about itself."""

import re
import subprocess

import pytest

from tests.support.repository import ROOT


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locked_versions_are_exact_hashed_and_name_no_host(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    requirements = re.findall(r"^(\S+)", re.sub(r"\\\n\s+", " ", text), re.M)
    assert all("==" in requirement for requirement in requirements)
    assert text.count("--hash=sha256:") >= len(requirements)
    assert not re.search(r"https?://|--index-url|--find-links", text)


def test_the_base_pins_are_those_of_the_development_environment() -> None:
    base, full = (
        dict(re.findall(r"^([a-z0-9_.-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.M | re.I))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert {name: full.get(name) for name in base} == base


def test_continuous_integration_runs_what_the_readme_names() -> None:
    assert "make system test check" in (ROOT / ".ci" / "run").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(f"make {target}" in readme for target in ("serve", "test", "system"))


def test_the_top_level_holds_only_what_a_repository_needs() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    if not listed:
        pytest.skip("not a git checkout")
    names = {path.partition("/")[0] for path in listed.splitlines()}
    assert {name for name in names if not name.startswith(".")} == {
        "app", "records", "tests", "bench", "docs", "examples", "Dockerfile", "pyproject.toml", "openapi.yaml",
        "README.md",
        "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "NOTICE", "Makefile", "requirements.lock",
        "requirements-prove.lock",
        "requirements-dev.lock",
    }  # fmt: skip


def test_the_image_runs_as_a_number_and_checks_its_health() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert re.findall(r"^USER (\d+):\d+$", text, re.M) == ["10001"]
    assert "HEALTHCHECK" in text
    assert text.count("FROM ") == 2
