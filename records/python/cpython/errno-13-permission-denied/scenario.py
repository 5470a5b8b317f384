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
    from pathlib import Path

    path = Path(folder, 'a')
    path.write_text('x')
    os.chmod(path, 0)
    result = path.read_text()


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 'x', f"the result is {names['result']!r}"
