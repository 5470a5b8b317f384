"""Every kept character of a cleaned paste is mapped to its place in the original."""

import pytest

from tests.support.pasted import NOISES
from whyraise.reading import paste
from whyraise.reading.paste import Span, clean

# Noises that replace characters, and one that is too long to examine each character.
REPLACING = {"json", "json twice", "html entities", "span soup", "middle of a log", "typographic"} | {
    f"also {name}" for name in ("entities", "soup", "JSON", "JSON twice")
}


@pytest.mark.parametrize("name", [name for name in NOISES if name not in REPLACING])
def test_every_kept_character_is_mapped_to_its_original_offset(name: str) -> None:
    text = NOISES[name]
    pasted = clean(text)
    for start in range(0, len(pasted.text), 7):
        if not pasted.text[start].isspace():
            [span] = pasted.original_spans(start, start + 1)
            assert text[span.start : span.end] == pasted.text[start]


def test_a_character_that_replaces_several_is_mapped_to_all_of_them() -> None:
    pasted = clean("&lt;a&gt; &lt;b&gt;")
    assert (pasted.text, pasted.original_spans(0, 2)) == ("<a> <b>", (Span(0, 5),))


def test_spans_that_touch_are_merged() -> None:
    assert paste.merge_spans([Span(4, 6), Span(0, 2), Span(2, 3), Span(9, 9)]) == (Span(0, 3), Span(4, 6))
