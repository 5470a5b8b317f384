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

    Path(folder, 'a').write_text('x')
    os.rmdir(folder)
    result = os.path.exists(folder)


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == False, f"the result is {names['result']!r}"
