import json
from pathlib import Path

import pytest

from whyraise.errors import PatternError
from whyraise.patterns.chain import Chain, Gap
from whyraise.patterns.parse import Pattern, read_pattern

SEED = Path("records/Lightning-AI/pytorch-lightning/blocking-backward-sync-is-only-possible-if-the-mod/record.json")


def gap(name: str) -> tuple[Gap, ...]:
    return (Gap(name, 1, captured=True),)


def test_the_first_record_is_one_chain_named_by_its_template() -> None:
    record = json.loads(SEED.read_text("utf-8"))["record"]
    assert read_pattern(record["messagePattern"], record["errorMessage"]) == Pattern(
        (
            Chain(
                (
                    "Blocking backward sync is only possible if the module passed to `",
                    ".no_backward_sync` is wrapped in `DistributedDataParallel`. Got: ",
                    ".",
                ),
                ((), gap("self.__class__.__name__"), gap("module.__class__.__name__"), ()),
            ),
        ),
        None,
        "",
    )


def test_alternations_are_expanded_into_several_chains() -> None:
    pattern = read_pattern("(?:no|one) file in (.+?)|empty(?: folder)?", "no file in {folder}")
    assert [chain.literals for chain in pattern.chains] == [
        ("no file in ",), ("one file in ",), ("empty folder",), ("empty",),
    ]  # fmt: skip


def test_adjacent_placeholders_keep_their_own_names() -> None:
    pattern = read_pattern("x(.+?)(.+?)y", "x{a}{b}y")
    assert pattern.chains[0].gaps[1] == gap("a") + gap("b")


@pytest.mark.parametrize("end", ["(.+)", "(.*)", ".+", ".*"])
def test_a_greedy_end_is_a_placeholder_to_the_end_of_the_message(end: str) -> None:
    assert read_pattern(f"got {end}", "got {x}").chains[0].literals == ("got ",)


def test_a_greedy_placeholder_in_the_middle_is_an_expression() -> None:
    pattern = read_pattern("from (.+) to (.+?)!", "from {a} to {b}!")
    assert (pattern.chains, pattern.expression is None) == ((), False)


@pytest.mark.parametrize("invalid", ["(", "a{2,1}", "[z-a]", "(?P<n>a)(?P<n>b)", "*"])
def test_an_invalid_pattern_is_rejected_with_its_reason(invalid: str) -> None:
    with pytest.raises(PatternError, match="the pattern is not a valid regular expression: "):
        read_pattern(invalid, "x")


def test_a_pattern_that_does_not_match_its_own_message_has_a_reason() -> None:
    assert (
        read_pattern("Expected (.+?)", "expected {x}").unmatched
        == "the pattern does not match the record's own errorMessage"
    )


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(a+)+b$", "a" * 5000),
        ("(.+?)x(.+?)y(.+?)z(.+?)w", "x" * 5000 + "y" * 5000 + "z" * 5000),
        (r"(\w+\s?)*!$", "word " * 1000),
        ("(?:x+x+)+y", "x" * 5000),
    ],
    ids=range(4),
)
def test_a_pattern_with_catastrophic_backtracking_is_read_at_once(pattern: str, message: str) -> None:
    assert read_pattern(pattern, message).unmatched != ""
