"""Plain Python in one process."""

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    return {"result": None}


def reproduce(names):
    import subprocess
    import sys

    result = subprocess.run([sys.executable, '-c', 'exit(3)'], check=True).returncode


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 3, f"the result is {names['result']!r}"
