"""Plain Python in one process."""

import importlib
import sys
import tempfile
from pathlib import Path

RANKS = 1
LIBRARIES = {"python": "3.11"}
IMPORTS = []
LIMIT = 10


def world(names):
    folder = tempfile.mkdtemp()
    sys.path.insert(0, folder)

    def module(name, source):
        Path(folder, f"{name}.py").write_text(source)
        sys.modules.pop(name, None)
        importlib.invalidate_caches()

    return {"result": None, "module": module}


def reproduce(names):
    module = names["module"]
    module('one', 'from two import b\na = 1')
    module('two', 'from one import a\nb = 2')
    import one

    result = one.a


def check(names):
    """The snippet ran to its end and gave what was wanted."""
    assert names["result"] == 1, f"the result is {names['result']!r}"
