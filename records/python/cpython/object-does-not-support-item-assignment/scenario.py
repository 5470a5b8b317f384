"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    point = (1, 2)
    point[0] = 5
    result = point


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == (5, 2), f"the result is {names['result']!r}"
