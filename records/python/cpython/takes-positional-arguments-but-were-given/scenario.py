"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    class Counter:
        def double(number):
            return 2 * number


    result = Counter().double(4)


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 8, f"the result is {names['result']!r}"
