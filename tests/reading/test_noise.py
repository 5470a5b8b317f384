"""Layers of noise: each is removed, and ordinary text is not changed."""

import pytest

from tests.support import clean_texts
from whyraise.reading import paste
from whyraise.reading.paste import Span, clean

LAYERS: list[tuple[str, str]] = [
    ("a\x1b[31mb\x1b[0mc\r\n", "abc\n"),
    ("10%\r20%\r", "10%\n20%\n"),
    ("a\u3000b\xa0c\v", "a b c "),
]


@pytest.mark.parametrize(("text", "expected"), LAYERS)
def test_a_layer_removes_only_its_own_noise(text: str, expected: str) -> None:
    assert clean(text).text == expected


@pytest.mark.parametrize("name", [name for name in clean_texts.WRITTEN if name not in ("kubernetes", "docker")])
def test_ordinary_text_is_not_changed(name: str) -> None:
    text = clean_texts.WRITTEN[name]
    assert clean(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "if a > b:\n> not a quote\nc <b> d\n",
        "x = re.compile('\\\\n')\n",
        ">>> raise ValueError\n>>> 1\n",
        "2026-12-01 09:31:00 started\n2026-12-01 09:31:01 done\n",
        "#1 0.1 x\n",
    ],
)
def test_text_that_only_looks_like_noise_is_kept(text: str) -> None:
    assert clean(text).text == text


def test_typography_and_combining_marks_are_replaced_by_what_programs_write() -> None:
    pasted = paste.normalize(clean("cafe\u0301 \u201cx\u201d \u2018y\u2019 \uff08z\uff09\uff1a n\u0303"))
    assert pasted.text == "café \"x\" 'y' (z): ñ"
    assert pasted.original_spans(3, 4) == (Span(3, 5),)
