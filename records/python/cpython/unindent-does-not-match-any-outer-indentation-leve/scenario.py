"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    scope = {}
    exec('if 1:\n    x = 1\n  y = 2', scope)
    result = scope['y']


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 2, f"the result is {names['result']!r}"
