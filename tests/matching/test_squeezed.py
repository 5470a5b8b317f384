"""Texts without whitespace, and offsets converted between both."""

from hypothesis import given
from hypothesis import strategies as st

from whyraise.matching.squeezed import squeeze

# Texts with lone surrogates, whitespace of every kind, and characters of one to four bytes.
TEXTS = st.text(st.one_of(st.sampled_from(" \t\n\r\v\fabcé€😀\u3000\xa0\ud800\x1c"), st.characters()), max_size=3000)


@given(TEXTS)
def test_each_byte_has_the_offset_of_its_character(text: str) -> None:
    squeezed = squeeze(text)
    expected = [
        (byte, position)
        for position, char in enumerate(text)
        if not char.isspace()
        for byte in char.encode("utf-8", "surrogatepass")
    ]
    assert squeezed.data == bytes(byte for byte, _ in expected)
    assert [squeezed.position(number) for number in range(len(expected))] == [position for _, position in expected]
    before = [sum(position < end for _, position in expected) for end in range(len(text) + 1)]
    assert [squeezed.byte(end) for end in range(len(text) + 1)] == before


def test_positions_are_right_across_blocks() -> None:
    text = ("é x\n" * 1000) + "END"
    squeezed = squeeze(text)
    assert squeezed.position(len(squeezed.data) - 3) == len(text) - 3
