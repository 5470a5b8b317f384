"""Hidden characters become visible."""

from whyraise.safe_text import visible


def test_hidden_and_reordering_characters_are_made_visible() -> None:
    assert visible("a\x1b[1m\u202eb\r\nc\td\x7f\u0085") == "a\u241b[1m\u27e8U+202E\u27e9b\nc\td\u2421\u27e8U+0085\u27e9"
