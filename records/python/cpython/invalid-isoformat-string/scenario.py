"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    from datetime import date

    result = date.fromisoformat('01.12.2026').year


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 2026, f"the result is {names['result']!r}"
