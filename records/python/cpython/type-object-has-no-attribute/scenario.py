"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    class Settings:
        def __init__(self):
            self.rate = 0.1


    result = Settings.rate


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 0.1, f"the result is {names['result']!r}"
