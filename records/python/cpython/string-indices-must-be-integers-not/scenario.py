"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    users = {'first': {'name': 'a'}}
    result = [user['name'] for user in users]


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == ['a'], f"the result is {names['result']!r}"
