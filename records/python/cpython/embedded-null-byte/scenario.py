"""Plain Python in one process."""

import tempfile

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None, "folder": tempfile.mkdtemp()}


def reproduce(names):
    folder = names["folder"]
    import os

    result = os.listdir(folder + '\0')


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == [], f"the result is {names['result']!r}"
