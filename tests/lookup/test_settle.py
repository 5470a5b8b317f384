"""Where a message ends is decided by the record that explains it."""

from __future__ import annotations

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from whyraise.lookup.explain import explain

ERROR = "ValueError: "
SHORT, LONG = "the table is empty", "the table is empty\nFill it before you read it."


@pytest.mark.parametrize(
    ("known", "below", "message"),
    [
        pytest.param(SHORT, "It worked yesterday.", SHORT, id="a line that no record knows"),
        pytest.param(LONG, "Fill it before you read it.", LONG, id="a line of the record"),
        pytest.param(
            LONG, "Fill it before you read it.\nIt worked yesterday.", LONG, id="a line of the record and another"
        ),
        pytest.param("another message", "Fill it soon.", f"{SHORT}\nFill it soon.", id="a line below an unknown error"),
        pytest.param("the table is {state}", "Fill it soon.", f"{SHORT}\nFill it soon.", id="a placeholder at the end"),
    ],
)
def test_a_message_ends_where_the_record_that_explains_it_does(
    known: str, below: str, message: str, make_catalog: MakeCatalog
) -> None:
    catalog = make_catalog([record(known)])
    [block] = explain(f"{ERROR}{SHORT}\n{below}\n", catalog).exceptions
    assert block.message == message


def test_a_placeholder_at_the_end_does_not_cover_a_line_that_may_be_none_of_the_message(
    make_catalog: MakeCatalog,
) -> None:
    [finding] = explain(f"{ERROR}{SHORT}\nFill it soon.\n", make_catalog([record("the table is {state}")])).findings
    assert [(capture.name, capture.value) for capture in finding.captures] == [("state", "empty")]


def test_a_placeholder_at_the_end_covers_the_lines_of_a_list(make_catalog: MakeCatalog) -> None:
    text = f"{ERROR}the table lacks:\n- name\n- price\n"
    [finding] = explain(text, make_catalog([record("the table lacks:{columns}")])).findings
    assert [(capture.name, capture.value) for capture in finding.captures] == [("columns", "\n- name\n- price")]
