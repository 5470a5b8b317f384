"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    scores = [0.5, None, 0.9]
    result = max(scores)


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 0.9, f"the result is {names['result']!r}"
