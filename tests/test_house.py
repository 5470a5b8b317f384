"""The rules of the house: contracts of imports catch what they are for, and modules and functions stay small."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
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
    "a plugin that needs FastAPI through others": ("ask/ask.py", "import fastapi", "What starts often"),
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


# What is written in one module only: a test for the nodes of a syntax tree, the modules that may contain it, and lines
# that break the rule.
LAST_PART = {"rpartition": {2, -1}, "rsplit": {1, -1}, "split": {-1}}
# Ranges of control characters in a string, as themselves or escaped; `\x00-\x7f` is all of ASCII.
CONTROL_RANGE = re.compile(
    r"(?:\x00|\\x00)-(?:[\x08\x1f]|\\x08|\\x1f)|(?:\x7f|\\x7f)-(?:[\x9f\xa0]|\\x9f|\\xa0)|[\u202a\u2066]|\\u202a|\\u2066"
)
CONTROL_ENDS = {32, 127, 159, 160, 0x202A, 0x202E, 0x202F, 0x2066, 0x2069, 0x206A, 0xE0000, 0xE007F, 0xE0080}


def is_move_of_a_file(node: ast.AST) -> bool:
    """Return whether a node moves a file; `replace` with one positional argument is that of a path or of `os`."""
    if isinstance(node, ast.ImportFrom):
        return node.module in ("os", "shutil") and bool({"replace", "rename", "move"} & {a.name for a in node.names})
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    owner, name = ast.unparse(node.func.value), node.func.attr
    if (owner, name) in (("os", "replace"), ("os", "rename"), ("os", "renames"), ("shutil", "move")):
        return True
    return name in ("replace", "rename") and (len(node.args), node.keywords) == (1, [])


def is_last_part_of_a_name(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr=method), args=[ast.Constant(value="."), *_])):
            return ast.unparse(node.slice) in map(str, LAST_PART.get(method, ()))
    return False


def is_name_of_a_package_folder(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and any(f"{name}-packages" in str(node.value) for name in ("site", "dist"))


def is_short_digest(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Subscript) and re.search(r"sha256\(.*hexdigest\(\)\[:16\]$", ast.unparse(node)) is not None
    )


def is_table_of_controls(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "range":
        return any(isinstance(given, ast.Constant) and given.value in CONTROL_ENDS for given in node.args)
    value = node.value if isinstance(node, ast.Constant) else ""
    return CONTROL_RANGE.search(value.decode("latin-1") if isinstance(value, bytes) else str(value)) is not None


ONE_HOME = {
    "a file is moved": (is_move_of_a_file, {"files.py"}, (
        "os.replace(a, b)", "os.rename(a, b)", "Path(a).replace(b)", "path.rename(b)", "from os import replace",
    )),
    "a dotted name is split": (is_last_part_of_a_name, {"names.py"}, (
        'a.rpartition(".")[2]', 'a.rpartition(".")[-1]', 'a.rsplit(".", 1)[-1]', 'a.rsplit(".", maxsplit=1)[1]',
        'a.split(".")[-1]',
    )),
    # `mine` leaves these folders out, among others.
    "package folders are named": (is_name_of_a_package_folder, {"source_paths.py", "mine/targets.py"}, (
        'a = "/site-packages/"', 'a = f"{b}/dist-packages"', 'a = r"lib|site-packages"',
    )),
    # The key of a cache is not the id of a record.
    "an id is computed": (is_short_digest, {"names.py", "installed/from_frames.py"}, (
        'hashlib.sha256(a.encode()).hexdigest()[:16]', 'a = sha256(b).hexdigest()[:16]',
    )),
    "controls are listed": (is_table_of_controls, {"safe_text.py"}, (
        r'a = "[\x00-\x08]"', r'a = r"[^\s\x00-\x1f]"', r'a = "[\u202a-\u202e]"', r'a = rf"[{b}\u2066-\u2069]"',
        r'a = b"[\x7f-\x9f]"', r'a = "[ \x7f-\xa0]"', "a = (*range(32), 127)", "a = range(0x202A, 0x202F)",
    )),
}  # fmt: skip


def found_in(text: str, is_found: Callable[[ast.AST], bool]) -> list[int]:
    """Return the numbers of the lines of a module that have such a node; docstrings do not count."""
    tree = ast.parse(text)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return [getattr(node, "lineno", 0) for node in ast.walk(tree) if id(node) not in docstrings and is_found(node)]


@pytest.mark.parametrize("rule", ONE_HOME)
def test_what_has_one_home_is_nowhere_else(rule: str) -> None:
    is_found, homes, _ = ONE_HOME[rule]
    modules = {path.relative_to(APP).as_posix(): found_in(path.read_text("utf-8"), is_found) for path in MODULES}
    assert {name: lines for name, lines in modules.items() if lines and name not in homes} == {}
    assert all(modules[home] for home in homes)  # a home without the thing is not one any more


@pytest.mark.parametrize(("rule", "line"), [(rule, line) for rule, (_, _, lines) in ONE_HOME.items() for line in lines])
def test_a_second_home_is_found(rule: str, line: str) -> None:
    assert found_in(f'"""A docstring: site-packages."""\n{line}\n', ONE_HOME[rule][0]) == [2]


@pytest.mark.parametrize(
    "line",
    ['a.replace("b", "c")', "a.replace(tzinfo=b)", 'a.rpartition(".")[0]', 'a.split(".")[0]', 'a.split("-")[-1]',
     "hashlib.sha256(a).hexdigest()[:12]", r'a = r"[^\S\x00-\x7f]"', r'a = "\x1b[0m"', "range(8)"],
)  # fmt: skip
def test_what_only_looks_like_a_second_home_is_allowed(line: str) -> None:
    assert [rule for rule, (is_found, _, _) in ONE_HOME.items() if found_in(line, is_found)] == []
