"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    result = float(10**400) / float(10**399)


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 10, f"the result is {names['result']!r}"
