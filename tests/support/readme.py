"""The README and its snippets."""

from __future__ import annotations

import re

from tests.support.repository import ROOT

README = ROOT / "README.md"


TEXT = README.read_text("utf-8")


SNIPPETS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.S)
