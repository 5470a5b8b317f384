"""Records derived at test time from the standard library's own raises, each with a message and what it should give."""

import ast
import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.records import record
from whyraise.lookup.explanation import Finding

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
_LEFT_OUT = ("site-packages", "test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip")

# What placeholders stand for: words, dotted names, numbers, quoted and spaced texts, and texts beyond ASCII.
VALUES = (
    "spam", "torch.nn.Linear", "42", "-3.5", "'a key'", "[1, 2, 3]", "<class 'int'>", "größe", "数据", "x y z",
    "{'k': None}", "b'\\x00'", "😀", "a:b", "__main__.Thing", "1e-07", '"quoted"', "(2, 3)", "None", "/tmp/a-b.txt",
)  # fmt: skip


class Case(NamedTuple):
    """A record, a message of its, what its placeholders stand for there by name, and the function that raises it."""

    fields: dict[str, object]
    message: str
    captures: list[tuple[str, str]]
    function: str


@cache
def cases() -> tuple[Case, ...]:
    """Return every case, the same ones at every call of one Python version."""
    chance = random.Random(1)
    found: dict[str, Case] = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        where = path.relative_to(LIBRARY)
        if not set(where.parts) & set(_LEFT_OUT):
            for raised in _raises(path):
                case = _case(raised, where.as_posix(), chance)
                if case and sum(len(text) for text in raised.literals if text.strip()) > 2:
                    found.setdefault(str(case.fields["id"]), case)
    return tuple(found.values())


class _Raise(NamedTuple):
    """A raise: its class, the literals of its message, the sources of the placeholders between, line and function."""

    error_class: str
    literals: list[str]
    names: list[str]
    line: int
    function: str


def _raises(path: Path) -> Iterator[_Raise]:
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(function):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                parts = _parts(node.exc.args[0])
                name = ast.unparse(node.exc.func).rpartition(".")[2]
                if parts and name.isidentifier() and name[0].isupper():
                    yield _Raise(name, *parts, node.lineno, function.name)


def _parts(node: ast.expr) -> tuple[list[str], list[str]] | None:
    """Return literals and the sources of what stands between: always one literal more."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value], []
    if isinstance(node, ast.JoinedStr):
        literals, names = [""], []
        for value in node.values:
            if isinstance(value, ast.Constant):
                literals[-1] += str(value.value)
            elif isinstance(value, ast.FormattedValue):
                names.append(ast.unparse(value.value))
                literals.append("")
        return literals, names
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        return _percent(str(node.left.value), node.right)
    return None


def _percent(template: str, values: ast.expr) -> tuple[list[str], list[str]] | None:
    literals = re.split(r"%[sdr]", template)
    names = [ast.unparse(value) for value in (values.elts if isinstance(values, ast.Tuple) else [values])]
    clean = "%" not in "".join(literals) and len(literals) == len(names) + 1
    return (literals, names) if clean else None


def _case(raised: _Raise, where: str, chance: random.Random) -> Case | None:
    if any(not text for text in raised.literals[1:-1]) or "\n" in "".join(raised.literals):
        return None  # adjacent placeholders and several lines are among the awkward ones
    values = [chance.choice(VALUES) for _ in raised.names]
    doubled = [text.replace("{", "{{").replace("}", "}}") for text in raised.literals]
    template = doubled[0] + "".join(f"{{{n}}}{text}" for n, text in zip(raised.names, doubled[1:], strict=True))
    pattern = "(.+?)".join(re.escape(text) for text in raised.literals)
    message = raised.literals[0] + "".join(v + text for v, text in zip(values, raised.literals[1:], strict=True))
    fields = record(template, pattern, filePath=where, lineNumber=raised.line, errorClass=raised.error_class)
    fields["sourceCode"] = f"def {raised.function}():\n    raise {raised.error_class}"
    fields["sourceCodeStart"] = raised.line - 1
    return Case(fields, message, list(zip(raised.names, values, strict=True)), raised.function)


def traceback(case: Case) -> str:
    path, line = f"/usr/lib/python3.11/{case.fields['filePath']}", case.fields["lineNumber"]
    return (
        "Traceback (most recent call last):\n"
        f'  File "{path}", line {line}, in {case.function}\n'
        f"    raise {case.fields['errorClass']}(message)\n{case.fields['errorClass']}: {case.message}\n"
    )


def equal(own: Finding, first: Finding) -> bool:
    return own.record.id in first.equals or own.record.message_pattern == first.record.message_pattern
