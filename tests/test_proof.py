import json

import pytest

from whyraise.errors import BadInput
from whyraise.proof import Proof, Stage, as_json, digest, read, sentence, stale

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


@pytest.mark.parametrize(
    "changed",
    [({"id": "x"}, "RANKS = 2\n", None), ({"id": "0123456789abcdef"}, "RANKS = 4\n", None),
     ({"id": "0123456789abcdef"}, "RANKS = 2\n", {"exampleFix": {}})],
)  # fmt: skip
def test_a_proof_is_stale_when_record_scenario_or_correction_changed(changed: tuple[dict[str, str], str, None]) -> None:
    assert stale(PROOF, digest(*changed), {}) == "the record, its scenario or its correction changed since"


def test_a_proof_is_stale_when_the_installed_library_has_another_minor_version() -> None:
    assert stale(PROOF, PROOF.digest, {"torch": "2.14.0"}) == "torch 2.14.0 is installed, 2.13.0+cpu was proven"
    assert stale(PROOF, PROOF.digest, {"torch": "2.13.9", "lightning": "2.6.7"}) == ""


def test_a_proof_is_said_in_plain_words() -> None:
    assert sentence(PROOF) == "proven on 2 ranks, torch 2.13.0+cpu, lightning 2.6.6, 2026-12-01"
    assert sentence(None) == "published, not proven"
    assert sentence(PROOF._replace(verdict="corrected", ranks=1)) == (
        "corrected: the published fix fails, the correction is proven on 1 rank, torch 2.13.0+cpu, lightning 2.6.6, "
        "2026-12-01"
    )
    assert sentence(PROOF, "torch changed").endswith("2026-12-01; stale: torch changed")
