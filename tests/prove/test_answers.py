"""What a snippet wrote instead of its worker."""

import pytest

from whyraise.prove.answers import read_results, read_versions

GOOD = {
    "step": "check", "at": 2, "raised": "", "module": "builtins", "message": "", "lines": ["a", "b"], "traceback": "",
}  # fmt: skip


def test_a_right_answer_is_returned_as_it_is() -> None:
    stuck = {"step": "world", "raised": None, "exit": None, "stack": "File", "message": "", "traceback": ""}
    assert read_results([GOOD, stuck], 2) == [GOOD, stuck]


@pytest.mark.parametrize("answer", [None, 3, "proven", {}, [], [GOOD], [GOOD, GOOD, GOOD], [GOOD, 3], [GOOD, [1]]])
def test_an_answer_of_another_form_is_none(answer: object) -> None:
    assert read_results(answer, 2) is None


def test_fields_of_wrong_types_and_unknown_ones_are_left_out_and_long_ones_are_cut() -> None:
    forged = {
        "step": ["check"], "at": "2", "raised": {}, "message": "m" * 10**6, "lines": [1, "x" * 10**6] * 100,
        "stack": 7, "exit": [], "rank": 99, "holds": True,
    }  # fmt: skip
    assert read_results([forged], 1) == [
        {"step": "", "raised": None, "message": "m" * 4000, "traceback": "", "lines": ["x" * 4000] * 6}
    ]


def test_versions_are_short_texts() -> None:
    assert read_versions({"torch": "2" * 1000, "json": 3}) == {"torch": "2" * 100}
    assert read_versions(["2"]) is None
