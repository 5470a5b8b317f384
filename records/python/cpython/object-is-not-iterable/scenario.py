"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    total = 0
    for step in 3:
        total += step
    result = total


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 3, f"the result is {names['result']!r}"
