"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    pairs = {'a': 1}
    result = [(key, value) for key, value in pairs.values()]


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == [('a', 1)], f"the result is {names['result']!r}"
