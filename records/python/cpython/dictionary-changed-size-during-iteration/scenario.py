"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    sizes = {'a': 0, 'b': 1}
    for name in sizes:
        if not sizes[name]:
            del sizes[name]
    result = sizes


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == {'b': 1}, f"the result is {names['result']!r}"
