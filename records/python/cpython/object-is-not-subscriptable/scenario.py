"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    def first(values):
        return values[0]


    result = first({7}.pop)


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 7, f"the result is {names['result']!r}"
