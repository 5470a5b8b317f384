"""Patterns that are translated for RE2 and searched for in a text."""

import re
import sys
import unicodedata

import pytest

from whyraise.matching.match import search_text
from whyraise.patterns.parse import read_pattern


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
def test_a_feature_that_re2_does_not_support_is_named_in_the_reason(pattern: str, reason: str) -> None:
    assert reason in read_pattern(pattern, "ab aa word abc " + "a" * 999).unmatched


@pytest.mark.parametrize(
    ("expression", "message", "text", "captured"),
    [
        (r"expected (\d+) args?, got (\d+)", "expected {n} args, got {m}", "expected 12 arg, got ٣", ["12", "٣"]),
        (r"no key '([^']*)' in (\w+)", "no key '{k}' in {d}", "oops: no key 'a b' in größe now", ["a b", "größe"]),
        (r"from (.+) to (.+?)!", "from {a} to {b}!", "from x to y to z!", ["x to y", "z"]),
    ],
)
def test_an_expression_matches_as_in_python(expression: str, message: str, text: str, captured: list[str]) -> None:
    [found] = search_text(read_pattern(expression, message), text)
    reference = re.search(expression, text)
    assert reference is not None
    assert (found.span, [capture.value for capture in found.captures]) == (reference.span(), captured)


def test_an_expression_matches_across_a_wrap_but_not_across_an_empty_line() -> None:
    pattern = read_pattern(
        r"expected a value below (\d+) for the setting (\w+)", "expected a value below {n} for the setting {s}"
    )
    wrapped = "ValueError said: expected a value below 12 for the sett\ning size_of_it"
    assert [capture.value for capture in search_text(pattern, wrapped)[0].captures] == ["12", "size_of_it"]
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
