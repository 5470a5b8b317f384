"""Findings are annotated at a place that the user can open."""

import pytest

from tests.support.user_failure import UNPACK, WINDOWS
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reporters import github
from whyraise.reporters.annotation import annotate


@pytest.mark.parametrize(
    ("text", "log", "place"),
    [
        (UNPACK, "", "::error title="),
        (f"\n{UNPACK}", "logs/a:b", "::error file=logs/a%3Ab,line=2,title="),
        (WINDOWS, "", "::error file=C%3A/a b/ü%251.py,line=3,title="),
    ],
)
def test_a_finding_without_a_line_of_the_users_own_is_at_its_line_in_the_log_or_where_it_was_raised(
    text: str, log: str, place: str, bundled: Catalog
) -> None:
    commands = github.commands(annotate(explain(text, bundled), "/nowhere", log))
    assert commands.startswith(f"{place}too many values to unpack (expected 2)::whyraise")
