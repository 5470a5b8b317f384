"""What is mined from a piece of source."""

from __future__ import annotations

import textwrap

from whyraise.mine.raises import Raise, raises
from whyraise.mine.scopes import read_module


def mined(source: str) -> list[Raise]:
    tree, module = read_module(textwrap.dedent(source), "thing/core.py")
    return list(raises(tree, module))
