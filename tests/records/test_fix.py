"""Splitting a published fix into its two blocks."""

from whyraise.records.fix import split_fix


def test_a_fix_is_split_at_its_marks() -> None:
    assert split_fix("# Before:\na\n# After (better)\nb\nc") == ("a", "b\nc")
