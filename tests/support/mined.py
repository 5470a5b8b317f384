"""Messages mined from a piece of source, and knowledge built from mined files."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.mine.message_template import Template
from whyraise.mine.raises import Raise, raises
from whyraise.mine.scopes import read_module
from whyraise.mine.targets import Origin

ORIGIN = Origin("pypi/thing", "1.2", "MIT", "")


def mined(source: str) -> list[Raise]:
    tree, module = read_module(textwrap.dedent(source), "thing/core.py")
    return list(raises(tree, module))


def rendered(template: Template) -> str:
    """Return a template as a text, with placeholders in braces."""
    return "".join(part if isinstance(part, str) else f"{{{part.source}}}" for part in template)


def messages(source: str) -> list[str]:
    """Return class and message of all that a source may raise.

    Empty templates, which stand for other messages of a class, are left out if the class has a message with text.
    """
    found = mined(source)
    classes_with_text = {raised.error_class for raised in found if raised.template}
    return [
        f"{raised.error_class}: {rendered(raised.template)}"
        for raised in found
        if raised.template or raised.error_class not in classes_with_text
    ]


def write_lines(envelopes: Iterable[Mapping[str, object]], path: Path) -> Path:
    """Write records in envelopes as JSON Lines, and return the path."""
    path.write_text("\n".join(map(json.dumps, envelopes)), "utf-8")
    return path


def build_catalog(envelopes: Iterable[Mapping[str, object]], folder: Path) -> Catalog:
    """Build a catalog of mined records in a folder."""
    build([write_lines(envelopes, folder / "mined.jsonl")], folder / "k.db")
    return open_file(str(folder / "k.db"), str(folder))
