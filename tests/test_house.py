"""The rules of the house: contracts of imports catch what they are for, and modules and functions stay small."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repository import ROOT

APP = ROOT / "app" / "whyraise"
TESTS = ROOT / "tests"
MODULES = sorted(path for path in APP.rglob("*.py") if "_records" not in path.parts)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Folders of tests that mirror no package: what users do, doors, helpers, measured truth.
OTHER_TESTS = {"journeys", "doors", "support", "truth"}

# One import, or one file, that breaks each contract.
BROKEN = {
    "a lower package imports a higher one": (
        "matching/match.py", "import whyraise.lookup.explain", "Imports point down",
    ),
    "packages on one floor import each other": (
        "reading/paste.py", "import whyraise.patterns.parse", "Imports point down",
    ),
    "a module without a floor": ("utils.py", "", "Imports point down"),
    "modules of one package form a cycle": (
        "reading/frames.py", "import whyraise.reading.exceptions", "Siblings form no cycle",
    ),
    "the core imports a web framework": ("lookup/explain.py", "import fastapi", "The core knows neither"),
    "the core imports the settings": ("records/record.py", "import whyraise.settings", "The core knows neither"),
    "the core imports pydantic": ("matching/match.py", "import pydantic", "pydantic reads records"),
    "a reporter imports pydantic": ("reporters/markdown.py", "import pydantic", "pydantic reads records"),
    "httpx elsewhere": ("ask/server.py", "import httpx", "httpx stands in"),
    "a service that proves": ("web/service.py", "import whyraise.prove.stages", "The command line alone proves"),
    "a service that mines": ("web/service.py", "import whyraise.mine.mine", "What is installed, and the command line"),
    "torch outside of a proof's child": ("prove/stages.py", "import torch", "Nothing imports torch"),
    "an explanation that needs pydantic": ("lookup/explain.py", "import pydantic", "What starts often"),
    "a plugin that needs FastAPI through others": ("ask/local.py", "import fastapi", "What starts often"),
}  # fmt: skip


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree whose modules keep their imports of each other and nothing else, with the contracts."""
    folder = tmp_path_factory.mktemp("stub")
    for path in MODULES:
        copy = folder / "app" / path.relative_to(APP.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("\n".join(imports_of(path)), "utf-8")
    contracts = (ROOT / "pyproject.toml").read_text("utf-8").partition("[tool.importlinter]")[2]
    (folder / "pyproject.toml").write_text(f"[tool.importlinter]{contracts}", "utf-8")
    return folder


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom | ast.Import):
            yield ast.unparse(node)


def linted(folder: Path) -> str:
    """Return what import-linter says of a tree, on one line a contract."""
    code = (
        "import sys; sys.path.insert(0, 'app'); from importlinter.cli import lint_imports; lint_imports(no_cache=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )
    return done.stdout + done.stderr


def test_the_tree_keeps_its_contracts(stub: Path) -> None:
    said = linted(stub)
    assert "9 kept, 0 broken" in said, said


@pytest.mark.parametrize("name", BROKEN)
def test_a_contract_that_is_broken_on_purpose_is_caught(name: str, stub: Path) -> None:
    file, line, contract = BROKEN[name]
    path = stub / "app/whyraise" / file
    before = path.read_text("utf-8") if path.exists() else None
    path.write_text(f"{before or ''}\n{line}\n", "utf-8")
    said = linted(stub)
    if before is None:
        path.unlink()
    else:
        path.write_text(before, "utf-8")
    assert re.search(rf"{re.escape(contract)}[^\n]*(?:\n[^\n]*)?BROKEN", said), said


def test_at_most_twelve_floors_and_thirty_units_lie_at_the_top() -> None:
    layers = next(
        contract["layers"]
        for contract in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    units = [path for path in APP.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    assert (len(layers) <= 12, len(units) <= 31) == (True, True)  # `__init__.py` is one of them


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(APP)))
def test_a_module_and_its_functions_stay_small(path: Path) -> None:
    text = path.read_text("utf-8")
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, FUNCTIONS)]
    long = [node.name for node in functions if node.end_lineno and node.end_lineno - node.lineno >= 40]
    wide = [node.name for node in functions if len(parameters(node)) > 6]
    assert (text.count("\n") <= 250, long, wide) == (True, [], [])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(APP)))
def test_a_module_names_its_parameters_and_imports_nothing_private(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    vague = {name for node in ast.walk(tree) if isinstance(node, FUNCTIONS) for name in parameters(node)}
    private = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("whyraise")
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert (vague & {"each", "one"}, private) == (set(), [])


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = node.args
    return [
        each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs) if each.arg not in ("self", "cls")
    ]


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.name == "__init__.py" and path.parent != APP],
    ids=lambda path: path.parent.name,
)
def test_a_package_says_what_it_offers_in_eight_lines_and_holds_nothing_else(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert (len(tree.body), bool(ast.get_docstring(tree)), text.count("\n") <= 8) == (1, True, True)


def test_files_lie_where_the_module_is_that_they_test() -> None:
    misplaced = [
        str(path.relative_to(ROOT))
        for path in TESTS.rglob("test_*.py")
        if path.relative_to(TESTS).parts[0] not in OTHER_TESTS and not is_mirrored(path)
    ]
    assert misplaced == []


def is_mirrored(path: Path) -> bool:
    """Return whether a test file is named after a module that lies at the same place of the package."""
    module = path.name.removeprefix("test_")
    return path == TESTS / "test_house.py" or (APP / path.relative_to(TESTS).parent / module).is_file()


def test_no_test_imports_another_one() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {node.module}"
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and re.search(r"\btests\b.*(?:\.test_|\.conftest)", str(node.module))
    ]
    assert found == []
