"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import io

    with io.StringIO('a') as file:
        pass
    result = file.read()


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 'a', f"the result is {names['result']!r}"
