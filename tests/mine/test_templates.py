"""The templates of expressions that make messages."""

import pytest

from tests.support.mined import messages, mined
from whyraise.mine.message_template import Placeholder


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "def f():\n    raise ValueError('no such ' 'thing here')",
            ["ValueError: no such thing here"],
            id="constants and implicit concatenation",
        ),
        pytest.param(
            "def f(x):\n    raise ValueError(f'no {x.name!r} in {len(x):>3}')",
            ["ValueError: no {x.name} in {len(x)}"],
            id="f-strings",
        ),
        pytest.param(
            'def f(a):\n    raise ValueError(dedent(f"""\n        no such {a}\n          in it\n        """).strip())',
            ["ValueError: no such {a}\n  in it"],
            id="dedented and stripped texts",
        ),
        pytest.param(
            "def name(a):\n"
            "    if a.kind:\n"
            "        return a.kind()\n"
            "    return f'the {a.id} of it'\n"
            "def f(a):\n"
            "    raise ValueError('no room for ' + name(a))",
            ["ValueError: no room for the {a.id} of it", "ValueError: no room for {name(a)}"],
            id="a helper's text, if not all of it is known",
        ),
        pytest.param(
            "class C:\n"
            "    def why(self, a):\n"
            "        return f'no room for {a} here'\n"
            "    def f(self, a):\n"
            "        raise ValueError(self.why(a))",
            ["ValueError: no room for {a} here"],
            id="a method's text",
        ),
        pytest.param(
            "def f(a):\n    raise OSError('cannot open ' + a + ' now')",
            ["OSError: cannot open {a} now"],
            id="texts joined with plus",
        ),
        pytest.param(
            "def f(a):\n    raise ValueError('too long' if a else 'too short')",
            ["ValueError: too long", "ValueError: too short"],
            id="conditional expressions",
        ),
        pytest.param(
            "def f(a):\n    msg = f'bad {a}'\n    msg += ', try again'\n    raise ValueError(msg)",
            ["ValueError: bad {a}", "ValueError: bad {a}, try again"],
            id="local variables",
        ),
        pytest.param(
            "TEXT = 'no %s'\ndef f(a):\n    raise ValueError(TEXT % a)",
            ["ValueError: no {a}"],
            id="module constants",
        ),
        pytest.param(
            "class A:\n    text = 'never called'\n    def f(self):\n        raise ValueError(self.text)",
            ["ValueError: never called"],
            id="class constants",
        ),
        pytest.param(
            "def f(msg='nothing to do'):\n    raise ValueError(msg)",
            ["ValueError: nothing to do"],
            id="default arguments",
        ),
        pytest.param(
            "ALL = {1: 'too low', 2: 'too high'}\ndef f(k):\n    raise ValueError(ALL[k])",
            ["ValueError: too low", "ValueError: too high"],
            id="dictionaries of messages",
        ),
        pytest.param(
            "def f(a):\n"
            "    errors = ['first is bad']\n"
            "    errors.append(f'second {a}')\n"
            "    raise ValueError('; '.join(errors))",
            ["ValueError: {errors}first is bad{errors}", "ValueError: {errors}second {a}{errors}"],
            id="lists of messages that are joined",
        ),
        pytest.param(
            "def _text(x):\n    return f'no {x} at all'\ndef f(y):\n    raise ValueError(_text(y))",
            ["ValueError: no {x} at all"],
            id="helpers that return a text",
        ),
        pytest.param(
            "ALL = {1: 'too low'}\ndef f(k):\n    raise ValueError(ALL.get(k))",
            ["ValueError: too low"],
            id="dictionaries of messages read with get",
        ),
        pytest.param(
            "def f():\n    raise ValueError(dedent('two words'))\ndef g():\n    raise ValueError(_('three words'))",
            ["ValueError: two words", "ValueError: three words"],
            id="dedent and gettext",
        ),
    ],
)
def test_the_templates_of_an_expression_are_read(source: str, expected: list[str]) -> None:
    assert messages(source) == expected


def test_placeholders_keep_their_source_text() -> None:
    [raised] = mined("def f(module):\n    raise TypeError(f'got {module.__class__.__name__}')")
    assert raised.template == ("got ", Placeholder("module.__class__.__name__"))
