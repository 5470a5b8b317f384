"""Lines of several processes in one paste."""

from tests.support.reading import read
from tests.support.seed import TRACEBACK
from whyraise.reading.paste import clean


def test_the_lines_of_each_rank_are_joined_without_their_labels() -> None:
    assert clean("[rank1]: b\n[rank0]: a\n[rank1]: c\n").text == "b\nc\na\n"


def test_exceptions_are_read_for_each_rank() -> None:
    text = "".join(f"[rank{rank}]: {line}\n" for line in TRACEBACK.splitlines() for rank in (2, 5))
    assert [(block.rank, len(block.frames)) for block in read(text).blocks] == [(2, 2), (5, 2)]
