"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import json

    result = json.dumps({'tags': {'a'}})


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == '{"tags": ["a"]}', f"the result is {names['result']!r}"
