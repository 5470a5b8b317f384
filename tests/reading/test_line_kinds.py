"""What a line below a message is: a part of it, or what other programs and people wrote."""

import pytest

from whyraise.reading.line_kinds import RULES, belongs, kind_of, open_brackets

EXAMPLES = [(rule.kind, line) for rule in RULES for line in rule.examples]
# Lines of messages that resemble a kind.
OWN = [
    "$HOME is not a folder",
    "#1 is not a colour",
    "PS is not a unit",
    "C: is not a folder",
    "user@host is not reachable",
    "In all other cases use `x`",
    "Killed workers are not started again",
    "Terminated early since the queue is empty",
    "exit is not a number",
    "INFORMATION is missing",
    "2026 is not a leap year",
    "Wide tables are not supported",
    "ncclSystemError: System call failed",
    "Expected: 3",
    "-1 is not allowed",
    "== is not an operator here",
    "Error in line 3",
    "FAILED_PRECONDITION is the state",
    "100% of the values are missing",
]


@pytest.mark.parametrize(("kind", "line"), EXAMPLES, ids=lambda value: value[:40])
def test_each_example_is_a_line_of_its_kind_and_of_no_kind_before_it(kind: str, line: str) -> None:
    assert kind_of(line) == kind


@pytest.mark.parametrize("line", OWN)
def test_a_line_of_a_message_is_of_no_kind(line: str) -> None:
    assert kind_of(line) == ""


@pytest.mark.parametrize(
    ("before", "line", "expected"),
    [
        ("no such column", "$ ls", "unlikely"),
        ("cannot parse the command:", "$ ls", "likely"),
        ("no such column", "    name", "yes"),
        ("no such column", "- name", "yes"),
        ("no such column", "[SQL: SELECT 1]", "yes"),
        ("no such column", "since the table is new", "yes"),
        ("no such column.", "use another one", "likely"),
        ("no such column", "Use another one.", "likely"),
        ("no such column", "Does anybody know why?", "unlikely"),
        ("no such column", "Environment: Debian 12", "unlikely"),
        ("these columns,", "Names and prices", "yes"),
        ("no such column", "Exception raised from get at table.cpp:3", "likely"),
        ("Exception raised from get at table.cpp:3", "frame #0: get() + 0x57", "yes"),
    ],
)
def test_what_a_line_looks_like_tells_whether_it_belongs_to_the_message(before: str, line: str, expected: str) -> None:
    assert belongs(before, line, is_open=False) == expected


def test_a_line_belongs_to_a_message_with_an_open_bracket() -> None:
    assert belongs("got an array of shape (", "Three", is_open=open_brackets("got an array of shape (") > 0) == "yes"


@pytest.mark.parametrize(
    ("line", "expected"), [("f(a[0", 2), (")]", -2), ("'(' was never closed", 0), ('a "[" and (b)', 0), ("plain", 0)]
)
def test_brackets_in_quotes_are_not_open(line: str, expected: int) -> None:
    assert open_brackets(line) == expected
