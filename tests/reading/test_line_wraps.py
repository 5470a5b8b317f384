"""Lines that were wrapped at a width."""

from tests.support.pasted import each_line, folded
from tests.support.seed import TRACEBACK
from whyraise.reading.paste import clean


def test_wrapped_lines_with_a_prefix_are_joined() -> None:
    assert clean(folded(60, each_line("[rank1]: "))).text == TRACEBACK
    assert clean(folded(60, each_line("2026-12-01T09:31:00.123Z "))).text == TRACEBACK


def test_a_line_of_the_launcher_is_not_joined_to_the_longest_line_of_a_rank() -> None:
    text = f"[rank1]: ValueError: {'a long message ' * 5}ends\nall ranks were stopped\n"
    assert clean(text).text.splitlines()[-1] == "all ranks were stopped"
