"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    def resize(image, *, size):
        return image * size


    result = resize(2)


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 6, f"the result is {names['result']!r}"
