"""Whether class and raise site agree with a match."""

import pytest

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain


@pytest.mark.parametrize(
    ("quoted", "confidences"),
    [
        ("    load(1, 2)\n", ["exact"]),
        ("", ["exact"]),
        ("    raise _api.nargs_error('load', takes='1', given=2)\n", []),
        ("    assert fits(), nargs_error('load', takes='1', given=2)\n", []),
        ("    if not fits: raise TypeError(given)\n", []),
        ("    raise(TypeError(given))\n", []),
        ("    made.throw(TypeError(given))\n", []),
        ("    raise\n", ["exact"]),
        ("    raised = load(1, 2)\n", ["exact"]),
        ("    load('or raise it', 2)\n", ["exact"]),
    ],
    ids=[
        "a call",
        "no source",
        "raise",
        "assert",
        "after if",
        "in brackets",
        "thrown",
        "raised again",
        "a name that starts with raise",
        "in a text",
    ],
)
def test_an_exception_that_a_statement_raised_is_not_from_native_code(
    quoted: str, confidences: list[str], bundled: Catalog
) -> None:
    text = (
        f'Traceback (most recent call last):\n  File "/home/me/a.py", line 3, in load\n{quoted}'
        "TypeError: load() takes 1 positional argument but 2 were given\n"
    )
    found = [finding for finding in explain(text, bundled).findings if finding.confidence != "possible"]
    assert [finding.confidence for finding in found] == confidences
    assert all(finding.record.slug == "takes-positional-arguments-but-were-given" for finding in found)
