"""The values that fill `%` and `str.format` templates."""

import pytest

from tests.support.mined import messages


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "def f(a, b):\n    raise KeyError('%s is no %5.2f, 100%% %(k)s' % (a, b))",
            ["KeyError: {a} is no {b}, 100% {k}"],
            id="percent formatting",
        ),
        pytest.param(
            "def f(a, b):\n    raise TypeError('{} and {name} and {0.x} {{}}'.format(a, name=b))",
            ["TypeError: {a} and {b} and {a.x} {}"],
            id="str.format",
        ),
        pytest.param(
            "def f(w, a):\n    raise ValueError('%*d is bad' % (w, a))",
            ["ValueError: {a} is bad"],
            id="percent with a width among the values",
        ),
        pytest.param(
            "def f(a):\n    raise ValueError('%d of 100%' % a)",
            ["ValueError: {a} of 100%"],
            id="a percent sign at the end",
        ),
        pytest.param(
            "def f(a):\n    why = f'no such {a}'\n    raise OSError('cannot load: {}!'.format(why))",
            ["OSError: cannot load: no such {a}!", "OSError: cannot load: {why}!"],
            id="a local text in a format",
        ),
    ],
)
def test_placeholders_are_filled_with_their_values(source: str, expected: list[str]) -> None:
    assert messages(source) == expected
