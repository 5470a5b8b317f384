"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    result = list(zip([1, 2], ['a'], strict=True))


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == [(1, 'a'), (2, None)], f"the result is {names['result']!r}"
