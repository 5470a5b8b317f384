"""Proofs: read, checked and described."""

from __future__ import annotations

import json
from importlib import metadata

import pytest

from whyraise.errors import BadInput
from whyraise.records.proof import (
    Proof,
    Stage,
    as_json,
    digest,
    installed_version,
    outdated_reason,
    read,
    sentence,
)

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
def test_an_invalid_proof_is_an_error_with_its_file_name(text: str) -> None:
    with pytest.raises(BadInput, match=r"^here\.json is not a valid proof: "):
        read(text, "here.json")


def test_a_proof_is_outdated_when_the_installed_library_has_another_minor_version() -> None:
    current = metadata.version("pytest")
    major, minor, *_ = current.split(".")
    other = f"{major}.{int(minor) + 1}.0"
    reason = f"pytest {current} is installed, but the proof used {other}"
    assert outdated_reason(PROOF._replace(versions={"pytest": other})) == reason
    assert outdated_reason(PROOF._replace(versions={"pytest": f"{major}.{minor}.99", "not-installed": "1.0"})) == ""


@pytest.mark.parametrize("name", ["pytest", "hypothesis", "ruff", "no-such-thing"])
def test_the_installed_version_is_that_of_the_metadata(name: str) -> None:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = ""
    assert installed_version(name) == version


def test_a_proof_is_described_in_a_sentence() -> None:
    assert sentence(PROOF._replace(versions={"python": "3.11"})) == "proven on 2 ranks, 2026-12-01"
    assert sentence(PROOF) == "proven on 2 ranks, torch 2.13.0+cpu, lightning 2.6.6, 2026-12-01"
    assert sentence(None) == "published, not proven"
    assert sentence(PROOF._replace(verdict="corrected", ranks=1)) == (
        "corrected: the published fix fails, the correction is proven on 1 rank, torch 2.13.0+cpu, lightning 2.6.6, "
        "2026-12-01"
    )
    assert sentence(PROOF, "torch changed").endswith("2026-12-01; stale: torch changed")
