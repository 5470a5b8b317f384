"""The region that a message may fill, and the marks of wraps in it."""

import textwrap

import pytest

from whyraise.matching.match import unwrap
from whyraise.matching.regions import BREAK, FOLD, Regions
from whyraise.reading import exceptions, paste
from whyraise.reading.exceptions import Reading

MESSAGE = (
    "Blocking backward sync is only possible if the module passed to `_DDPBackwardSyncControl.no_backward_sync` is"
    " wrapped in `DistributedDataParallel`. Got: torch.nn.Linear."
)


def region(text: str, at: int = 0) -> str:
    return Regions(text, Reading((), ())).at(at).text


def folded(text: str, width: int) -> str:
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100, 120, 160])
def test_a_message_wrapped_at_a_fixed_width_is_one_region_and_nothing_is_lost(width: int) -> None:
    assert unwrap(region(folded(MESSAGE, width), 50)) == MESSAGE


@pytest.mark.parametrize("width", [72, 80, 100, 120])
def test_a_message_wrapped_between_words_is_one_region_with_spaces_at_the_wraps(width: int) -> None:
    wrapped = "\n".join(textwrap.wrap(MESSAGE, width, break_long_words=False, break_on_hyphens=False))
    assert unwrap(region(wrapped)) == MESSAGE


def test_lines_that_end_before_the_width_are_regions_of_their_own() -> None:
    text = "The first line of this report has room for more words\nshort\n" + "the third line is longer" * 4
    assert [region(text, text.index(word)) for word in ("first", "short", "third")] == text.split("\n")


@pytest.mark.parametrize(
    "line", ['File "x.py", line 3, in f', "ValueError: bad", "- an item", "[1] rank 0", "Traceback (most"]
)
def test_a_line_that_starts_something_new_never_continues_another(line: str) -> None:
    assert region("a line that is long enough to have been wrapped by a terminal\n" + line).count("\n") == 0
    assert FOLD not in region("x" * 80 + "\n" + line)


def test_an_exceptions_message_is_a_region_with_its_own_line_ends() -> None:
    pasted = paste.clean("Traceback (most recent call last):\nValueError: first\n\tsecond\n")
    reading = exceptions.parse(pasted)
    found = Regions(pasted.text, reading).at(pasted.text.index("second"))
    assert (found.text.rstrip(), found.block) == ("first\n\tsecond", 0)


def test_a_very_long_line_is_read_in_pieces() -> None:
    text = "x" * 1_000_000
    assert len(region(text, 500_000)) == 3 * 16 * 1024


def test_a_mark_is_one_character_so_that_offsets_do_not_change() -> None:
    text = folded(MESSAGE, 60)
    marked = region(text)
    assert [a for a, b in zip(text, marked, strict=True) if a != b] == ["\n"] * marked.count(FOLD)
    assert BREAK not in marked
