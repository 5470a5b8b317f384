"""Messages of caught exceptions, in other messages and raised again."""

from tests.support.mined import messages

CAUGHT = """
class NoApp(Exception): ...

def g(a):
    raise NoApp(f'no {a} in it')

def f(a):
    try:
        g(a)
    except NoApp as exc:
        raise OSError('cannot load. %s' % exc)
"""


def test_a_caught_exceptions_message_is_read_from_where_its_class_is_raised() -> None:
    assert messages(CAUGHT) == [
        "NoApp: no {a} in it",
        "OSError: cannot load. no {a} in it",
        "OSError: cannot load. {exc}",
    ]


def test_raising_a_caught_exception_again_gives_no_message() -> None:
    assert messages("def f():\n    try:\n        g()\n    except OSError as e:\n        raise e") == []
