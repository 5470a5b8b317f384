"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    count = 0


    def step():
        count += 1
        return count


    result = step()


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 1, f"the result is {names['result']!r}"
