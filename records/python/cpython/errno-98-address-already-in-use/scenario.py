"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import socket

    first, second = socket.socket(), socket.socket()
    first.bind(('127.0.0.1', 0))
    first.listen()
    second.bind(first.getsockname())
    result = second.getsockname()[0]


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == '127.0.0.1', f"the result is {names['result']!r}"
