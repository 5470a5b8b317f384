"""The messages of a module, with the place and the conditions of each."""

import pytest

from tests.support.mined import messages, mined


def test_the_message_of_an_assertion_is_read() -> None:
    assert messages("def f(x):\n    assert x, f'x is {x}'") == ["AssertionError: x is {x}"]


@pytest.mark.parametrize("source", ["def f():\n    raise", "x = 'raise ValueError(1)'"])
def test_source_without_a_message_gives_none(source: str) -> None:
    assert messages(source) == []


GUARDED = """
class Loader:
    def open(self, path, mode="r"):
        if mode not in ("r", "w"):
            raise ValueError(f"mode {mode!r} is neither r nor w")
        else:
            try:
                return read(path)
            except OSError as error:
                raise RuntimeError(f"cannot read {path}") from error
"""


def test_conditions_of_a_raise_are_read_outermost_first_and_negated_after_else() -> None:
    assert [(raised.function, raised.line, raised.guards) for raised in mined(GUARDED)] == [
        ("Loader.open", 5, ("mode not in ('r', 'w')",)),
        ("Loader.open", 10, ("not (mode not in ('r', 'w'))", "except OSError")),
    ]
