"""Exceptions that are only mentioned within lines."""

import pytest

from tests.support.reading import classes_and_messages


def test_an_exception_that_two_processes_wrote_into_one_line_is_read_once() -> None:
    text = "ValueErrorValueError: : no data hereno data here\n"
    assert classes_and_messages(text) == [("ValueError", "no data here")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-12-01 ERROR job 3 failed: ValueError: no data\n", ("ValueError", "no data")),
        ("<Task finished exception=ValueError('no data')>", ("ValueError", "no data")),
        ("ERROR:    Error loading the app: there is none\n", ("", "Error loading the app: there is none")),
    ],
)
def test_an_exception_that_a_line_mentions_is_read_if_there_is_no_other(text: str, expected: tuple[str, str]) -> None:
    assert classes_and_messages(text) == [expected]


def test_a_raise_statement_is_not_read_as_an_exception() -> None:
    assert classes_and_messages('def f():\n    raise ValueError("no data")\n') == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jinja2.exceptions.TemplateNotFound: page.html\n", [("jinja2.exceptions.TemplateNotFound", "page.html")]),
        ("app.Service: started\nValueError: bad value 3\n", [("ValueError", "bad value 3")]),
        ("it went well\napp.Service: started\n", []),
        ("www.Example.com: nothing\n", []),
    ],
)
def test_a_paste_that_begins_with_the_full_name_of_a_class_is_read_whatever_the_class_is_called(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert classes_and_messages(text) == expected
