"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import socket

    server = socket.socket()
    server.bind(('127.0.0.1', 0))
    result = socket.create_connection(server.getsockname(), 2).getpeername()[0]


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == '127.0.0.1', f"the result is {names['result']!r}"
