"""Catalogs that many tests read and none changes."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.derived import cases
from tests.support.repository import RECORDS
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file

# What `make quick` leaves out, by the places of tests: a browser, sandboxes, torch, the fuzzers, and what takes long.
LEFT_OUT = {
    "doors/page/": "browser",
    "prove/test_sandbox.py": "sandbox",
    "prove/test_stages.py": "sandbox",
    "journeys/test_prove_ranks.py": "torch",
    "journeys/test_proven_records.py": "torch",
    "run/test_torchrun.py": "torch",
    "truth/test_raised.py": "sandbox",
    "journeys/test_fuzz.py": "fuzz",
    "doors/test_contract.py": "fuzz",
    "doors/test_mcp_load.py": "slow",
    "journeys/test_clean_texts.py": "slow",
    "journeys/test_hostile_texts.py": "slow",
    "journeys/test_wheel.py": "slow",
    "journeys/test_readme.py": "slow",
    "chat/test_budget.py": "slow",
    "lookup/test_stream.py": "slow",
    "test_pytest_plugin.py": "slow",
}

# Tests that run the same code thousands of times. Others cover it; measuring it here took 98 s of work instead of 66 s.
NOT_MEASURED = (
    "chat/test_budget.py",
    "doors/test_contract.py",
    "journeys/test_clean_texts.py",
    "journeys/test_derived_records.py",
    "journeys/test_fuzz.py",
    "journeys/test_hostile_texts.py",
    "journeys/test_noises.py",
    "journeys/test_proven_records.py",
    "mine/test_mine.py",
    "test_house.py",
    "truth/test_raised.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        path = item.path.relative_to(Path(__file__).parent).as_posix()
        for place, mark in LEFT_OUT.items():
            if path.startswith(place):
                item.add_marker(mark)
        if path in NOT_MEASURED:
            item.add_marker("no_cover")


@pytest.fixture(scope="session")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The records of this repository."""
    folder = tmp_path_factory.mktemp("bundled")
    build([RECORDS], folder / "records.db")
    return open_file(str(folder / "records.db"), str(folder))


@pytest.fixture(scope="session")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """A record for each message that the standard library raises."""
    folder = tmp_path_factory.mktemp("derived")
    (folder / "derived.jsonl").write_text("\n".join(json.dumps(case.fields) for case in cases()), "utf-8")
    built = build([folder / "derived.jsonl"], folder / "derived.db")
    assert (built.faults, built.unmatched) == ((), ())
    return open_file(str(folder / "derived.db"), str(folder))


@pytest.fixture
def make_catalog(tmp_path: Path) -> MakeCatalog:
    """Build a catalog of envelopes or bare records."""

    def make(records: Iterable[Mapping[str, object]]) -> Catalog:
        source = tmp_path / "records.jsonl"
        source.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        built = build([source], tmp_path / "records.db")
        assert built.faults == ()
        return open_file(str(tmp_path / "records.db"), str(tmp_path))

    return make
