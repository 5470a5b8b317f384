"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    def pairs(values):
        values = iter(values)
        while True:
            yield next(values), next(values)


    result = list(pairs([1, 2]))


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == [(1, 2)], f"the result is {names['result']!r}"
