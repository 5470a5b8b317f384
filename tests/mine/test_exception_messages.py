"""The classes and messages of what a `raise` statement raises."""

import pytest

from tests.support.mined import messages


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "class AxisError(Exception):\n"
            "    def __init__(self, axis, ndim=None):\n"
            "        self.axis = axis\n"
            "    def __str__(self):\n"
            "        return f'axis {self.axis} is out of bounds'\n"
            "def f(axis):\n"
            "    raise AxisError('the axes must be distinct elements')\n"
            "def g(axis):\n"
            "    raise AxisError('code')",
            [
                "AxisError: axis {self.axis} is out of bounds",
                "AxisError: the axes must be distinct elements",
                "AxisError: axis {self.axis} is out of bounds",
            ],
            id="prose given to a class that makes its own text",
        ),
        pytest.param(
            "def _raise(kind, msg):\n    raise kind(msg)\ndef f(x):\n    _raise(TypeError, f'no {x}')",
            ["TypeError: no {x}"],
            id="helpers that raise",
        ),
        pytest.param(
            "class Bad(Exception):\n"
            "    def __init__(self, name):\n"
            "        super().__init__(f'no field {name} here')\n"
            "def f(n):\n"
            "    raise Bad(n)",
            ["Bad: no field {name} here"],
            id="classes that make their text in __init__",
        ),
        pytest.param(
            "class Bad(Exception):\n"
            "    def __str__(self):\n"
            "        return f'broken at {self.at}'\n"
            "def f():\n"
            "    raise Bad(3)",
            ["Bad: broken at {self.at}"],
            id="classes that make their text in __str__",
        ),
        pytest.param(
            "class Bad(Base):\n"
            "    def __init__(self, n):\n"
            "        Base.__init__(self, f'no part {n} here')\n"
            "def f(n):\n"
            "    raise Bad(n)",
            ["Bad: no part {n} here"],
            id="messages passed to a parent exception by its name",
        ),
        pytest.param(
            "class Bad(Base):\n    def __init__(self, n):\n        self.n = n\ndef f(n):\n    raise Bad('x of it')",
            ["Bad: x of it"],
            id="an argument that the class only stores",
        ),
        pytest.param(
            "def f():\n    error = ValueError('made early')\n    raise error from None",
            ["ValueError: made early"],
            id="an exception that was assigned to a name",
        ),
        pytest.param(
            "class A:\n"
            "    def _bad(self, name):\n"
            "        return ValueError(f'no {name} here')\n"
            "    def f(self):\n"
            "        raise self._bad('x')",
            ["ValueError: no {name} here"],
            id="helpers that return an exception",
        ),
        pytest.param(
            "def f(z):\n    raise CustomError('zone', 'no time zone {zone} here', {'zone': z})",
            ["CustomError: zone", "CustomError: no time zone {zone} here"],
            id="a code first and the text next",
        ),
        pytest.param(
            "class Base(Exception):\n"
            "    text = 'nothing of {0} is known'\n"
            "    def __str__(self):\n"
            "        return self.text.format(self.name)\n"
            "class Bad(Base):\n"
            "    text = 'no colour {0} here'\n"
            "def f():\n"
            "    raise Bad()",
            ["Bad: no colour {self.name} here"],
            id="a text made by a base class from an attribute of the class",
        ),
        pytest.param(
            "def f(kind):\n    kind = kind\n    raise kind('cannot go on')",
            [": "],
            id="a class whose name is assigned to itself",
        ),
        pytest.param(
            "def f(key):\n    raise KeyError(key)",
            ["KeyError: {key}"],
            id="an argument without text",
        ),
    ],
)
def test_class_and_message_of_a_raise_are_read(source: str, expected: list[str]) -> None:
    assert messages(source) == expected
