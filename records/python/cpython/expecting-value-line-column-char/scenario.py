"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import json

    result = json.loads(str({'a': 1}).replace('1', 'None').replace("'", '"'))


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == {'a': None}, f"the result is {names['result']!r}"
