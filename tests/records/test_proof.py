import json
from importlib import metadata
from pathlib import Path

import pytest

from tests.support.records import record
from whyraise.errors import BadInput
from whyraise.knowledge.catalog import open_sources
from whyraise.records.proof import Proof, Stage, as_json, digest, installed, outdated, read, sentence
from whyraise.records.record import Record
from whyraise.reporters import json as json_report
from whyraise.reporters import markdown

PROOF = Proof(
    id="0123456789abcdef",
    verdict="proven",
    stages=(Stage("reproduce", True, "", ({"rank": 0, "exception": "ValueError"},)),),
    ranks=2,
    versions={"python": "3.11.2", "torch": "2.13.0+cpu", "lightning": "2.6.6"},
    sandbox="bwrap",
    seconds=3.5,
    date="2026-12-01",
    digest=digest({"id": "0123456789abcdef"}, "RANKS = 2\n", None),
)


def test_a_proof_is_read_back_as_it_was_written() -> None:
    assert read(json.dumps(as_json(PROOF))) == PROOF


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"verdict": "sure"}', '{"verdict": "proven", "stages": [1]}'])
def test_what_is_no_proof_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInput, match=r"^here\.json is no proof: "):
        read(text, "here.json")


def test_a_proof_is_outdated_when_the_installed_library_has_another_minor_version() -> None:
    here = metadata.version("pytest")
    major, minor, *_ = here.split(".")
    other = f"{major}.{int(minor) + 1}.0"
    assert outdated(PROOF._replace(versions={"pytest": other})) == f"pytest {here} is installed, {other} was proven"
    assert outdated(PROOF._replace(versions={"pytest": f"{major}.{minor}.99", "not-installed": "1.0"})) == ""


@pytest.mark.parametrize("name", ["pytest", "hypothesis", "ruff", "no-such-thing"])
def test_the_installed_version_is_that_of_the_metadata(name: str) -> None:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = ""
    assert installed(name) == version


FIELDS = record("no number {x}", exampleFix="# before\na\n# after\nb\n")


def served(folder: Path, scenario: str = "RANKS = 2\n", **changed: str) -> Record:
    """Return a record with a proof as it is served after its folder was changed."""
    proof = PROOF._replace(id=str(FIELDS["id"]), digest=digest(FIELDS, "RANKS = 2\n", None), versions={"python": "3"})
    (folder / "record.json").write_text(json.dumps({**FIELDS, **changed}), "utf-8")
    (folder / "proof.json").write_text(json.dumps(as_json(proof)), "utf-8")
    (folder / "scenario.py").write_text(scenario, "utf-8")
    return open_sources([str(folder)], str(folder / "cache")).record_of(str(FIELDS["id"]))


def test_an_answer_carries_the_proof_in_plain_words(tmp_path: Path) -> None:
    told = json_report.record(served(tmp_path))
    assert (told["proofSays"], told["proofStale"]) == ("Proven on 2 ranks, 2026-12-01.", None)
    assert "scenario" not in told


def test_an_answer_says_that_a_proof_is_stale_when_record_scenario_or_correction_changed(tmp_path: Path) -> None:
    for number, change in enumerate(({"scenario": "RANKS = 4\n"}, {"exampleFix": "# before\na\n# after\nc\n"}, {})):
        folder = tmp_path / str(number)
        folder.mkdir()
        if not change:
            (folder / "correction.json").write_text('{"fields": {}, "why": {}}', "utf-8")
        known = served(folder, **change)
        assert json_report.record(known)["proofStale"] == "the record, its scenario or its correction changed since"
        assert "stale: the record, its scenario" in markdown.record(known)


def test_a_proof_is_said_in_plain_words() -> None:
    assert sentence(PROOF._replace(versions={"python": "3.11"})) == "proven on 2 ranks, 2026-12-01"
    assert sentence(PROOF) == "proven on 2 ranks, torch 2.13.0+cpu, lightning 2.6.6, 2026-12-01"
    assert sentence(None) == "published, not proven"
    assert sentence(PROOF._replace(verdict="corrected", ranks=1)) == (
        "corrected: the published fix fails, the correction is proven on 1 rank, torch 2.13.0+cpu, lightning 2.6.6, "
        "2026-12-01"
    )
    assert sentence(PROOF, "torch changed").endswith("2026-12-01; stale: torch changed")
