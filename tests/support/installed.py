"""A small package that is installed here, a paste of an error that it raised, and the names of what is mined."""

from __future__ import annotations

from pathlib import Path

import iniconfig

from whyraise.installed import grow

PACKAGE = Path(iniconfig.__file__).parent


_LINES = (PACKAGE / "__init__.py").read_text("utf-8").splitlines()


LINE = next(number for number, line in enumerate(_LINES, 1) if line.strip() == "raise KeyError(name)")


PASTE = f"""Traceback (most recent call last):
  File "train.py", line 3, in <module>
    config["lr"]
  File "{PACKAGE}/__init__.py", line {LINE}, in __getitem__
    raise KeyError(name)
KeyError: 'lr'
"""


def labels(*targets: str) -> dict[str, str]:
    return {target: grow.label(target) for target in targets}
