"""Messages of warnings, log entries and torch's checks."""

import pytest

from tests.support.mined import messages


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "def f(x):\n    torch._check(x > 0, lambda: f'got {x}')",
            ["RuntimeError: got {x}"],
            id="torch._check",
        ),
        pytest.param(
            "def f(x):\n    warnings.warn(f'{x} is old', DeprecationWarning)\n    rank_zero_warn('slow path')",
            ["DeprecationWarning: {x} is old", "UserWarning: slow path"],
            id="warnings",
        ),
        pytest.param(
            "def f(x):\n    log.warning('a %s b', x)",
            [": a {x} b"],
            id="warnings of a logger have no class",
        ),
        pytest.param(
            "def f(x):\n    logger.error('lost %s of %d', x, 3)",
            [": lost {x} of {3}"],
            id="loggers",
        ),
    ],
)
def test_messages_of_calls_are_read_with_their_class(source: str, expected: list[str]) -> None:
    assert messages(source) == expected


def test_a_method_named_like_a_loggers_gives_no_message() -> None:
    assert messages("def f(self):\n    self.warning('x')") == []
