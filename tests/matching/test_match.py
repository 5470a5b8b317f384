"""Where a region contains a wording, and what its placeholders stand for."""

import re

import pytest

from whyraise.matching.match import search, search_text
from whyraise.matching.regions import Region
from whyraise.matching.wording import Wording
from whyraise.patterns.parse import read_pattern


def found(template: str, text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Search for a template whose placeholders are single letters in braces."""
    pattern = read_pattern(re.sub(r"\\{\w\\}", "(.+?)", re.escape(template)), template)
    assert pattern.unmatched == ""
    return [
        (text[match.span.start : match.span.end], [(capture.name, capture.value) for capture in match.captures])
        for match in search_text(pattern, text)
    ]


def test_an_inner_placeholder_covers_the_text_between_its_neighbours() -> None:
    assert found("no key {k} in {d} found", "no key 'a' in b in c found") == [
        ("no key 'a' in b in c found", [("k", "'a'"), ("d", "b in c")])
    ]


def test_a_leading_placeholder_starts_at_the_messages_start() -> None:
    assert found("{m} is not attached to a Trainer", "  my.Module is not attached to a Trainer\nrest") == [
        ("my.Module is not attached to a Trainer", [("m", "my.Module")])
    ]


def test_a_trailing_placeholder_runs_to_the_end_of_the_message() -> None:
    assert found("wrapped in DDP, got {x}", "wrapped in DDP, got a b. c  \nnext") == [
        ("wrapped in DDP, got a b. c", [("x", "a b. c")])
    ]


def test_a_placeholder_before_a_short_last_literal_runs_to_the_end_of_the_message() -> None:
    assert found("wrapped in DDP. Got: {x}.", "wrapped in DDP. Got: torch.nn.Linear.") == [
        ("wrapped in DDP. Got: torch.nn.Linear.", [("x", "torch.nn.Linear")])
    ]


def test_a_short_last_literal_in_the_middle_of_a_line_is_its_last() -> None:
    assert found("Got: {x}.", "Got: a.b. and then") == [("Got: a.b.", [("x", "a.b")])]


def test_adjacent_placeholders_divide_the_text_as_re_does() -> None:
    assert found("<{a}{b}>", "<xyz>") == [("<xyz>", [("a", "x"), ("b", "yz")])]


def test_a_gap_does_not_cross_a_line_end() -> None:
    assert found("value {x} is out of range", "value 3\nis out of range") == []


def test_a_gap_crosses_a_wrap() -> None:
    text = "RuntimeWarning: the value of the learning rate scheduler 0.12345\n678 is out of range"
    assert [captures for _, captures in found("scheduler {x} is out of range", text)] == [[("x", "0.12345678")]]


def test_a_literal_with_a_line_end_is_found_over_its_lines() -> None:
    assert found("bad file {f}\n  at line {n}", "bad file x.py\n  at line 7\nrest") == [
        ("bad file x.py\n  at line 7", [("f", "x.py"), ("n", "7")])
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Model parallel is invalid here",  # "Mode l… is invalid": the wording has a space after "Mode"
        "Mode x isinvalid",  # no space where the wording has one between two words
        "Mo de x is invalid",  # a space inside a word, and no wrap
    ],
)
def test_whitespace_between_words_must_be_as_in_the_wording(text: str) -> None:
    assert found("Mode {m} is invalid", text) == []


def test_whitespace_beside_punctuation_does_not_matter() -> None:
    assert found("got: {x} (expected: int)", "got:str( expected:int )") == [("got:str( expected:int )", [("x", "str")])]


def test_every_occurrence_of_a_line_is_found() -> None:
    assert [text for text, _ in found("wrong key <{x}>", "wrong key <1> wrong key <2>")] == [
        "wrong key <1>",
        "wrong key <2>",
    ]


def test_non_ascii_text_is_found_and_counted_in_code_points() -> None:
    assert found("größe {x} zu groß", "😀 größe 😀é zu groß!") == [("größe 😀é zu groß", [("x", "😀é")])]


def test_the_space_between_two_placeholders_is_not_the_space_after_the_literal_before_them() -> None:
    template = "no flag {a}: {b} {c} [see the list of flags]"
    pattern = read_pattern(r"no flag (.+?): (.+?) (.+?) \[see the list of flags\]", template)
    text = "no flag x: many z [see the list of fl\vags]"
    wording = Wording(0, 0, "", None, "", "", 0, "published", "", pattern.chains[0], None, edge=False, needed=())
    [match] = search(wording, Region(0, len(text), text, None, echo=False))
    assert [capture.value for capture in match.captures] == ["x", "many", "z"]
