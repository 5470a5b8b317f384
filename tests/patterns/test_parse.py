import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest

from whyraise.errors import PatternError
from whyraise.matching.match import search_text
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


@pytest.mark.parametrize("bad", ["(", "a{2,1}", "[z-a]", "(?P<n>a)(?P<n>b)", "*"])
def test_a_pattern_that_does_not_compile_is_refused_with_its_reason(bad: str) -> None:
    with pytest.raises(PatternError, match="the pattern is no regular expression: "):
        read_pattern(bad, "x")


def test_a_pattern_that_fails_on_its_own_message_says_so() -> None:
    assert (
        read_pattern("Expected (.+?)", "expected {x}").unmatched
        == "the pattern does not match the record's own errorMessage"
    )


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?<=a)b", "assert"),
        (r"(a)\1", "groupref"),
        (r"\bword", "at boundary"),
        ("(?i)abc", "flags"),
        ("a{999}", "repetitions"),
    ],
)
def test_what_no_linear_engine_has_is_named(pattern: str, reason: str) -> None:
    assert reason in read_pattern(pattern, "ab aa word abc " + "a" * 999).unmatched


@pytest.mark.parametrize(
    ("expression", "message", "text", "captured"),
    [
        (r"expected (\d+) args?, got (\d+)", "expected {n} args, got {m}", "expected 12 arg, got ٣", ["12", "٣"]),
        (r"no key '([^']*)' in (\w+)", "no key '{k}' in {d}", "oops: no key 'a b' in größe now", ["a b", "größe"]),
        (r"from (.+) to (.+?)!", "from {a} to {b}!", "from x to y to z!", ["x to y", "z"]),
    ],
)
def test_an_expression_means_what_it_means_to_python(
    expression: str, message: str, text: str, captured: list[str]
) -> None:
    [found] = search_text(read_pattern(expression, message), text)
    reference = re.search(expression, text)
    assert reference is not None
    assert (found.span, [one.value for one in found.captures]) == (reference.span(), captured)


def test_an_expression_is_found_across_a_wrap_and_not_across_a_line_end() -> None:
    pattern = read_pattern(
        r"expected a value below (\d+) for the setting (\w+)", "expected a value below {n} for the setting {s}"
    )
    wrapped = "ValueError said: expected a value below 12 for the sett\ning size_of_it"
    assert [one.value for one in search_text(pattern, wrapped)[0].captures] == ["12", "size_of_it"]
    assert search_text(pattern, "expected a value\n\nbelow 12 for the setting size") == []


@pytest.mark.parametrize("character_class", [r"\d", r"\w", r"\s"])
def test_a_character_class_has_pythons_members(character_class: str) -> None:
    import re2  # noqa: PLC0415  # only this test compares the engines

    pattern = read_pattern(f"({character_class})(.+)x", "7 x" if character_class != r"\s" else " yx")
    assert pattern.expression is not None
    own = re2.compile(pattern.expression.text.removeprefix("(").partition(")")[0])
    assigned = (chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Cs"))
    differing = [hex(ord(c)) for c in assigned if bool(re.fullmatch(character_class, c)) != bool(own.fullmatch(c))]
    assert differing == []


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
def test_a_pattern_made_to_hang_is_read_at_once(pattern: str, message: str) -> None:
    assert read_pattern(pattern, message).unmatched != ""
