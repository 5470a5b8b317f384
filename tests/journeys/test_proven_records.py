"""Every folder of a record: its logs are blamed as they say, and its proof fits. New records need no new test code."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from tests.support.noises import NOISES
from tests.support.repository import RECORDS
from whyraise.cli.main import main
from whyraise.knowledge.catalog import Catalog, open_sources
from whyraise.lookup.explain import explain
from whyraise.prove.scenario import read_folder
from whyraise.records.proof import read

FOLDERS = sorted(path.parent for path in RECORDS.rglob("record.json"))
LOGS = [path for folder in FOLDERS for path in sorted(folder.glob("match/*.log"))]
LOOKALIKES = [path for folder in FOLDERS for path in sorted(folder.glob("lookalike/*.log"))]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return open_sources([str(RECORDS)], str(tmp_path_factory.mktemp("cache")))


def marked(path: Path) -> tuple[str, int]:
    """Return a log without its mark, and the number of the marked line."""
    lines = path.read_text("utf-8").splitlines()
    (blamed,) = [number for number, line in enumerate(lines, 1) if line.startswith(">>> ")]
    return "\n".join(line.removeprefix(">>> ") for line in lines), blamed


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parents[1].name[:30]} {path.stem}")
def test_a_log_is_blamed_on_its_record_at_the_marked_line(path: Path, catalog: Catalog) -> None:
    text, line = marked(path)
    first = explain(text, catalog).findings[0]
    folder = read_folder(path.parents[1])
    assert (first.record.id, first.line) == (folder.record["id"], line)
    assert first.confidence in ("exact", "likely")


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parents[1].name[:30]} {path.stem}")
def test_a_log_keeps_its_record_and_proof_through_noise(path: Path, noise: str, catalog: Catalog) -> None:
    text, _ = marked(path)
    first = explain(NOISES[noise].add(text), catalog).findings[0].record
    assert first.id == read_folder(path.parents[1]).record["id"]
    assert first.beside["proof"] == json.loads((path.parents[1] / "proof.json").read_text("utf-8"))


@pytest.mark.parametrize("path", LOOKALIKES, ids=lambda path: f"{path.parents[1].name[:30]} {path.stem}")
def test_a_lookalike_is_not_blamed_on_its_record(path: Path, catalog: Catalog) -> None:
    found = explain(path.read_text("utf-8"), catalog).findings
    assert read_folder(path.parents[1]).record["id"] not in [each.record.id for each in found]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name[:30])
def test_every_record_has_a_proof_that_fits_what_was_proven(folder: Path) -> None:
    proof = read((folder / "proof.json").read_text("utf-8"))
    assert proof.verdict in ("proven", "corrected")
    assert proof.sandbox == "bwrap"
    assert proof.digest == read_folder(folder).digest


@pytest.mark.timeout(300)
@pytest.mark.skipif(
    not (shutil.which("bwrap") and importlib.util.find_spec("torch") and importlib.util.find_spec("lightning")),
    reason="bubblewrap, torch or lightning is not installed",
)
def test_every_record_proves_as_its_proof_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--records", str(RECORDS), "--all", "--json"]) == 0
    assert {each["sandbox"] for each in json.loads(capsys.readouterr().out)} == {"bwrap"}
