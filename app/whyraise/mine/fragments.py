"""Find prose in functions that may become part of a message in a way that the miner does not follow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whyraise.mine.raises import Raise
from whyraise.mine.scopes import Function, Module, Scope
from whyraise.mine.templates import templates

# The minimum number of words and characters of prose; shorter texts occur in every program.
_MIN_WORDS, _MIN_CHARACTERS = 4, 24
_WORD = r"\b[A-Za-z][a-z']+\b"
# A shorter literal may occur in a known message by chance.
_MIN_KNOWN = 10


def fragments(module: Module, known: list[Raise]) -> Iterator[Raise]:
    """Yield the prose of a module's functions that is in no message of `known`, as messages without a class."""
    known_texts = {part.strip() for raised in known for part in raised.template if isinstance(part, str)}
    for function, owner in module.bodies:
        name = f"{owner.name}.{function.name}" if owner else function.name
        scope = Scope(module, owner, function, {})
        for node in _strings(function):
            template = templates(node, scope)[0]
            literals = [part.strip() for part in template if isinstance(part, str)]
            if _is_prose(" ".join(literals)) and not _is_known(literals, known_texts):
                yield Raise("", template, "error", name, node.lineno, (), kind="fragment")


def _is_known(literals: list[str], known_texts: set[str]) -> bool:
    return any(literal in text for literal in literals if len(literal) >= _MIN_KNOWN for text in known_texts)


def _strings(function: Function) -> Iterator[ast.expr]:
    """Yield the strings and f-strings of a function's own body, without docstrings and inner functions."""
    docstring = function.body[0] if ast.get_docstring(function) is not None else None
    for node in _own_nodes(function, docstring):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield node


def _own_nodes(node: ast.AST, docstring: ast.AST | None) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if child is not docstring and not isinstance(child, Function | ast.ClassDef):
            yield child
            if not isinstance(child, ast.JoinedStr):
                yield from _own_nodes(child, docstring)


def _is_prose(text: str) -> bool:
    return len(text) >= _MIN_CHARACTERS and len(re.findall(_WORD, text)) >= _MIN_WORDS
