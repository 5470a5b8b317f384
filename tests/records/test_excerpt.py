"""The function that encloses a line of an excerpt, wherever the excerpt begins and ends."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path

import pytest

from tests.support.published import SEED_FILE
from whyraise.records.excerpt import enclosing_function, line_at, raises

STANDARD_LIBRARY = Path(ast.__file__).parent


def found(source: str, mark: str = "raise", path: str = "a.py") -> str:
    """Return the function found for the last line that has the mark, where the excerpt begins at line 40."""
    source = textwrap.dedent(source).strip("\n")
    line = max(at for at, text in enumerate(source.splitlines(), 40) if mark in text)
    return enclosing_function(path, source, 40, line)


def test_the_innermost_function_that_encloses_the_line_is_named() -> None:
    assert found("class A:\n    def f(self):\n        if x:\n            raise E") == "f"
    assert found("async def f():\n    async with x:\n        raise E") == "f"
    assert found("def f():\n    def g():\n        pass\n    raise E") == "f"
    assert found("def f():\n    def g():\n        raise E\n    g()") == "g"
    assert found("def f():\n    if x:\n        def g():\n            pass\n        if y:\n            raise E") == "f"
    assert found("def f():\n    try:\n        pass\n    except X:\n        raise E") == "f"
    assert found("class A:\n    def f():\n\traise E") == "f"


def test_a_line_outside_of_functions_has_none() -> None:
    assert found("def f():\n    pass\nraise E") == ""
    assert found("def f():\n    pass\nif x:\n    raise E") == ""
    assert found("def f():\n    class A:\n        raise E") == ""


def test_an_excerpt_may_begin_in_the_middle_of_a_function() -> None:
    assert found("        x = 1\n        if y:\n            raise E") == ""
    assert found('    still the docstring.\n\n    """\n    raise E') == ""
    assert found('        return 1\n\n    def g(self):\n        """Doc."""\n        raise E(\n    "x"') == "g"


def test_strings_and_brackets_that_reach_to_the_left_do_not_mislead() -> None:
    assert found('def f(\n    a,\n):\n    text = """\nto the left\n"""\n    raise E(a)') == "f"
    assert found("def f(a=(\n1,\n)):\n    x = [\n1,\n]\n    raise E(a)") == "f"


def test_nothing_is_said_of_other_languages_and_of_lines_outside() -> None:
    source = "function f() {\n  throw new E()\n}"
    assert found(source, "throw", "a.js") == ""
    for line in (39, 43, -1, 10**12):
        assert enclosing_function("a.py", source, 40, line) == ""


def test_the_line_of_the_seed_record_raises_in_its_function() -> None:
    seed = json.loads(SEED_FILE.read_bytes())["record"]
    line = line_at(seed["sourceCode"], seed["sourceCodeStart"], seed["lineNumber"])
    assert line == "            raise TypeError("
    assert raises(line)
    place = (seed["sourceCodeStart"], seed["lineNumber"])
    assert enclosing_function(seed["filePath"], seed["sourceCode"], *place) == "no_backward_sync"


@pytest.mark.parametrize(
    "line",
    [
        "raise",
        "    raise E from x",
        "self._log_and_throw(",
        "} throw new Error('x')",
        "panic!(",
        "TORCH_CHECK(x,",
        "warnings.warn(",
    ],
)
def test_lines_that_raise_are_known_in_many_languages(line: str) -> None:
    assert raises(line)


@pytest.mark.parametrize("line", ["", "return x", '"the raised hand"', "praise(x)", "throwaway = 1", "CHECKED = 1"])
def test_other_lines_raise_nothing(line: str) -> None:
    assert not raises(line)


@pytest.mark.parametrize("module", ["argparse", "tarfile", "inspect", "typing", "zipfile", "statistics"])
def test_the_function_agrees_with_the_syntax_tree_for_excerpts_of_real_modules(module: str) -> None:
    source = (STANDARD_LIBRARY / f"{module}.py").read_text("utf-8")
    lines = source.splitlines(keepends=True)
    checked = 0
    for owner in ast.walk(ast.parse(source)):
        if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in _own_raises(owner):
                first = max(1, owner.lineno - 5)
                excerpt = "".join(lines[first - 1 : node.lineno + 5])
                assert enclosing_function("a.py", excerpt, first, node.lineno) == owner.name
                checked += 1
    assert checked > 20


def _own_raises(owner: ast.AST) -> list[ast.Raise]:
    """Return the raise statements of a function that are in no inner function or class."""
    own: list[ast.Raise] = []
    for child in ast.iter_child_nodes(owner):
        if isinstance(child, ast.Raise):
            own.append(child)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            own += _own_raises(child)
    return own
