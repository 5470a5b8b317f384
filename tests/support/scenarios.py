"""A correct record folder, which tests break in one place."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.records import record
from whyraise.knowledge.catalog import open_sources
from whyraise.lookup.explain import explain
from whyraise.prove.runner import Runner
from whyraise.prove.scenario import Folder, read_folder
from whyraise.prove.stages import prove
from whyraise.records.proof import Stage

SCENARIO = """
import decimal
import os

RANKS = 2
LIBRARIES = {}
IMPORTS = ["json", "decimal"]
LIMIT = 2


def world(names):
    return {"decimal": decimal, "rank": int(os.environ["RANK"]), "text": "1,5", "number": None}


def reproduce(names):
    fail(names["text"])


def fail(text):
    if not text.replace(".", "").isdigit():
        raise ValueError(f"the amount {text} is no decimal number")


def check(names):
    assert names["number"] == decimal.Decimal("1.5"), f"the number is {names['number']}"


def bad_word(names):
    names["text"] = "many"


def good_comma(names):
    names["text"] = "1,5"


def use_typeGuard(names):
    text = names["guarded"](names["text"])
    if text is not None:
        fail(text)
        names["number"] = decimal.Decimal(text)
"""


FIX = """# before
import scenario
scenario.fail(text)
# after
number = decimal.Decimal(text.replace(",", "."))
"""


GUARD = """
def guarded(text):
    text = text.replace(",", ".")
    return text if text.replace(".", "").isdigit() else None
"""


def folder_of(path: Path, scenario: str = SCENARIO, **changed: object) -> Folder:
    """Write a record's folder that is correct except for `changed`, and read it."""
    fields = record("the amount {text} is no decimal number", exampleFix=FIX, typeGuard=GUARD)
    (path / "record.json").write_text(json.dumps({"record": {**fields, **changed}}))
    (path / "scenario.py").write_text(scenario)
    return read_folder(path)


def run(folder: Folder, runner: Runner) -> tuple[str, tuple[Stage, ...]]:
    """Prove a record with a catalog of its own; return the verdict and the stages."""
    catalog = open_sources([str(folder.path)], str(folder.path / "cache"))

    def identify(text: str) -> str:
        found = explain(text, catalog, limit=1).findings
        return found[0].record.id if found else ""

    assert folder.scenario
    return prove(folder, folder.scenario.ranks, runner.run, identify)


def after(code: str) -> str:
    """Return the fix with other code after its `# after` mark."""
    return FIX.partition("# after")[0] + "# after\n" + code


NUMBER = 'number = decimal.Decimal("1.5")\n'
