"""Pastes as people make them: the noise comes off, and every kept character still knows where it stood."""

import html
from collections.abc import Callable

import pytest

from tests.support import clean_texts, noises
from tests.support.pasted import NOISES, each_line, folded, interleaved
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reading import paste
from whyraise.reading.paste import Span, clean

# Noises of which characters are written anew, and one that is too long to look at each character.
WRITTEN_ANEW = {"json", "json twice", "html entities", "span soup", "middle of a log", "typographic"} | {
    f"also {name}" for name in ("entities", "soup", "JSON", "JSON twice")
}


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", NOISES)
def test_the_first_record_is_found_through_noise_with_captures_and_spans_of_the_original(
    name: str, bundled: Catalog
) -> None:
    text = NOISES[name]
    finding = explain(text, bundled).findings[0]
    assert (finding.record.id, finding.confidence in ("exact", "likely")) == (SEED, True)
    assert [capture.value for capture in finding.captures] == ["_DDPBackwardSyncControl", "torch.nn.Linear"]
    undo = noises.NOISES[name.removeprefix("also ")].undo if name.startswith("also ") else html.unescape
    marked = squeezed(undo("".join(text[span.start : span.end] for span in finding.spans)))
    assert marked.replace("\x1b[0m", "").replace("\uff1a", ":") == squeezed(MESSAGE)


def test_ranks_that_say_the_same_are_one_finding_with_their_ranks(bundled: Catalog) -> None:
    [finding] = explain(interleaved(), bundled).findings
    assert [occurrence.rank for occurrence in finding.occurrences] == [0, 1]
    assert [occurrence.line for occurrence in finding.occurrences] == [13, 14]


LAYERS: list[tuple[Callable[[str], str], str, str]] = [
    (lambda text: clean(text).text, "a\x1b[31mb\x1b[0mc\r\n", "abc\n"),
    (lambda text: clean(text).text, "10%\r20%\r", "10%\n20%\n"),
    (lambda text: clean(text).text, "a\u3000b\xa0c\v", "a b c "),
    (lambda text: clean(text).text, "[rank1]: b\n[rank0]: a\n[rank1]: c\n", "b\nc\na\n"),
]


@pytest.mark.parametrize(("function", "text", "expected"), LAYERS)
def test_a_layer_takes_off_its_own_noise_alone(function: Callable[[str], str], text: str, expected: str) -> None:
    assert function(text) == expected


@pytest.mark.parametrize("name", [name for name in clean_texts.WRITTEN if name not in ("kubernetes", "docker")])
def test_ordinary_text_passes_through_untouched(name: str) -> None:
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
def test_what_only_looks_like_noise_stays(text: str) -> None:
    assert clean(text).text == text


@pytest.mark.parametrize("name", [name for name in NOISES if name not in WRITTEN_ANEW])
def test_every_kept_character_knows_where_it_stood(name: str) -> None:
    text = NOISES[name]
    pasted = clean(text)
    for start in range(0, len(pasted.text), 7):
        if not pasted.text[start].isspace():
            [span] = pasted.original_spans(start, start + 1)
            assert text[span.start : span.end] == pasted.text[start]


def test_a_character_that_was_written_for_several_stands_for_all_of_them() -> None:
    pasted = clean("&lt;a&gt; &lt;b&gt;")
    assert (pasted.text, pasted.original_spans(0, 2)) == ("<a> <b>", (Span(0, 5),))


def test_spans_that_touch_are_one() -> None:
    assert paste.joined([Span(4, 6), Span(0, 2), Span(2, 3), Span(9, 9)]) == (Span(0, 3), Span(4, 6))


def test_a_traceback_whose_lines_come_in_reverse_is_turned_around_and_nothing_else() -> None:
    log = "step 1\nstep 2\n"
    turned = "".join(reversed(TRACEBACK.splitlines(keepends=True)))
    assert clean(log + turned + log).text == log + TRACEBACK + log
    assert clean(log + TRACEBACK + log).text == log + TRACEBACK + log


def test_lines_with_a_prefix_that_were_cut_at_a_width_are_put_together() -> None:
    assert clean(folded(60, each_line("[rank1]: "))).text == TRACEBACK
    assert clean(folded(60, each_line("2026-12-01T09:31:00.123Z "))).text == TRACEBACK


def test_what_a_launcher_says_after_the_longest_line_of_a_rank_is_no_part_of_it() -> None:
    text = f"[rank1]: ValueError: {'a long message ' * 5}ends\nall ranks were stopped\n"
    assert clean(text).text.splitlines()[-1] == "all ranks were stopped"


def test_letters_with_combining_marks_and_typographic_punctuation_are_written_as_programs_do() -> None:
    pasted = paste.plain(clean("cafe\u0301 \u201cx\u201d \u2018y\u2019 \uff08z\uff09\uff1a n\u0303"))
    assert pasted.text == "café \"x\" 'y' (z): ñ"
    assert pasted.original_spans(3, 4) == (Span(3, 5),)
