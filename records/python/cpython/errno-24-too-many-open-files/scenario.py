"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    result = len([open('/dev/null') for _ in range(100)])


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 100, f"the result is {names['result']!r}"
