"""Executed truth, in short: errors that installed packages raise here and now, looked up in what was mined of them.

`make truth` does the same with many more packages.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.truth import raised
from tests.truth.raised import Bar, Error
from whyraise.knowledge.catalog import open_sources
from whyraise.mine.mine import mine, write
from whyraise.mine.targets import source_files
from whyraise.records.sources import bundled_records
from whyraise.source_paths import site_of

# Distributions, and what they are imported as.
PACKAGES = {
    "networkx": "networkx", "Jinja2": "jinja2", "rich": "rich", "requests": "requests", "urllib3": "urllib3",
    "Werkzeug": "werkzeug", "click": "click", "attrs": "attr", "httpx": "httpx", "aiohttp": "aiohttp",
    "starlette": "starlette", "pydantic": "pydantic", "mpmath": "mpmath", "Pygments": "pygments", "PyYAML": "yaml",
    "yarl": "yarl",
}  # fmt: skip
SECONDS, MOST = 8, 20


def errors() -> Iterator[Error]:
    """Yield what the packages raise from their own source: of others nothing is mined here."""
    for each in raised.raise_all(PACKAGES.values(), SECONDS):
        if site_of(each.file).partition("/")[0] == each.package:
            yield each


@pytest.mark.timeout(300)
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_errors_that_packages_really_raise_are_found_by_message_and_site(tmp_path: Path) -> None:
    mined = tmp_path / "mined.jsonl"
    write(mine([file for name in PACKAGES for file in source_files(name, tmp_path)]), mined)
    known = raised.different(errors(), MOST)
    assert len({each.package for each in known}) >= len(PACKAGES) - 2
    figures = raised.measure(known, open_sources([bundled_records(), str(mined)], str(tmp_path)))
    print(*raised.misses(known, figures), len(known), sep="\n")  # noqa: T201
    assert [bar for bar in figures.bars() if not bar.holds] == []


def test_a_bar_holds_between_its_least_and_its_most() -> None:
    assert [Bar("right", value, least=0.9).holds for value in (0.89, 0.9, 1.0)] == [False, True, True]
    assert [Bar("wrong", value, most=0.01).holds for value in (0.0, 0.01, 0.02)] == [True, True, False]
