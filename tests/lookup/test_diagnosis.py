"""Why a text does not match a record."""

import pytest

from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.diagnosis import diagnose


@pytest.mark.parametrize(
    ("change", "hint", "expected", "found"),
    [
        (("only possible", "Only possible"), "case", "only", "Only"),
        (("wrapped in", "inside of"), "other", "wrapped", "inside"),
        (("if the module", "when the module"), "word", "if", "when"),
        ((". Got: ", "! Got: "), "punctuation", ".", "!"),
        ((MESSAGE[MESSAGE.index(" wrapped") :], ""), "ends", "wrapped", ""),
    ],
)
def test_a_diagnosis_has_the_first_difference_and_a_hint_what_would_match(
    change: tuple[str, str], hint: str, expected: str, found: str, bundled: Catalog
) -> None:
    text = "I get\n" + MESSAGE.replace(*change) + "\n\nand more"
    diagnosis = diagnose(text, bundled.record_of(SEED), bundled)
    mismatch = diagnosis.parting
    assert mismatch is not None
    assert (diagnosis.matches, mismatch.hint) == (False, hint)
    assert (mismatch.expected[: len(expected)], mismatch.found[: len(found)]) == (expected, found)


def test_a_diagnosis_of_a_text_that_matches_has_no_difference(bundled: Catalog) -> None:
    diagnosis = diagnose(TRACEBACK, bundled.record_of(SEED), bundled)
    assert (diagnosis.matches, diagnosis.parting) == (True, None)
