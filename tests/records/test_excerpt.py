"""The function that contains a line of an excerpt, wherever the excerpt starts and ends."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import textwrap

import pytest

from tests.support.published import SEED_FILE
from whyraise.records.excerpt import enclosing_function, line_at, raises


def function_of(source: str, word: str = "raise", path: str = "a.py") -> str:
    """Return the function that contains the last line with a word, in an excerpt that starts at line 40."""
    source = textwrap.dedent(source).strip("\n")
    line = max(number for number, text in enumerate(source.splitlines(), 40) if word in text)
    return enclosing_function(path, source, 40, line)


def test_the_innermost_function_that_encloses_the_line_is_named() -> None:
    assert function_of("class A:\n    def f(self):\n        if x:\n            raise E") == "f"
    assert function_of("async def f():\n    async with x:\n        raise E") == "f"
    assert function_of("def f():\n    def g():\n        pass\n    raise E") == "f"
    assert function_of("def f():\n    def g():\n        raise E\n    g()") == "g"
    assert (
        function_of("def f():\n    if x:\n        def g():\n            pass\n        if y:\n            raise E")
        == "f"
    )
    assert function_of("def f():\n    try:\n        pass\n    except X:\n        raise E") == "f"
    assert function_of("class A:\n    def f():\n\traise E") == "f"


def test_a_line_outside_of_functions_has_none() -> None:
    assert function_of("def f():\n    pass\nraise E") == ""
    assert function_of("def f():\n    pass\nif x:\n    raise E") == ""
    assert function_of("def f():\n    class A:\n        raise E") == ""


def test_an_excerpt_may_start_in_the_middle_of_a_function() -> None:
    assert function_of("        x = 1\n        if y:\n            raise E") == ""
    assert function_of('    still the docstring.\n\n    """\n    raise E') == ""
    assert function_of('        return 1\n\n    def g(self):\n        """Doc."""\n        raise E(\n    "x"') == "g"


def test_strings_and_brackets_with_less_indentation_are_ignored() -> None:
    assert function_of('def f(\n    a,\n):\n    text = """\nto the left\n"""\n    raise E(a)') == "f"
    assert function_of("def f(a=(\n1,\n)):\n    x = [\n1,\n]\n    raise E(a)") == "f"


def test_other_languages_and_lines_outside_of_the_excerpt_have_no_function() -> None:
    source = "function f() {\n  throw new E()\n}"
    assert function_of(source, "throw", "a.js") == ""
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
def test_lines_that_raise_are_recognized_in_many_languages(line: str) -> None:
    assert raises(line)


@pytest.mark.parametrize("line", ["", "return x", '"the raised hand"', "praise(x)", "throwaway = 1", "CHECKED = 1"])
def test_other_lines_raise_nothing(line: str) -> None:
    assert not raises(line)


@pytest.mark.parametrize("module", ["argparse", "tarfile", "inspect", "typing", "zipfile", "statistics"])
def test_the_function_agrees_with_the_syntax_tree_for_excerpts_of_real_modules(module: str) -> None:
    source = inspect.getsource(importlib.import_module(module))
    lines = source.splitlines(keepends=True)
    checked = 0
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in _own_raises(function):
                first = max(1, function.lineno - 5)
                excerpt = "".join(lines[first - 1 : node.lineno + 5])
                assert enclosing_function("a.py", excerpt, first, node.lineno) == function.name
                checked += 1
    assert checked > 20


def _own_raises(parent: ast.AST) -> list[ast.Raise]:
    """Return the raise statements of a function, without those of inner functions and classes."""
    own: list[ast.Raise] = []
    for child in ast.iter_child_nodes(parent):
        if isinstance(child, ast.Raise):
            own.append(child)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            own += _own_raises(child)
    return own
