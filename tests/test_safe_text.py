"""Hidden characters become visible."""

import re

from whyraise.safe_text import ASCII_CONTROLS, control_replacements, replace_controls, visible

ALL = "".join(map(chr, range(0x110000)))


def test_hidden_and_reordering_characters_are_made_visible() -> None:
    assert visible("a\x1b[1m\u202eb\r\nc\td\x7f\u0085") == "a\u241b[1m\u27e8U+202E\u27e9b\nc\td\u2421\u27e8U+0085\u27e9"


def test_each_function_changes_its_kinds_of_characters_and_no_others() -> None:
    controls = {*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
    surrogates = set(range(0xD800, 0xE000))
    assert {ord(old) for old, new in zip(ALL, replace_controls(ALL), strict=True) if old != new} == controls
    assert control_replacements().keys() == controls | surrogates | set(range(0xE0000, 0xE0080))
    assert {code for code, char in enumerate(ALL) if visible(char) != char} == (
        controls | surrogates | {0x061C, 0x200E, 0x200F, 0xFFFE, 0xFFFF}
    )


def test_the_ascii_controls_are_those_of_the_standard() -> None:
    assert {ord(char) for char in re.findall(f"[{ASCII_CONTROLS}]", ALL)} == {*range(32), 127}
