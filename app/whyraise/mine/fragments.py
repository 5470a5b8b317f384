"""Texts that may end up in a message in a way that was not followed: told apart by what prose looks like."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whyraise.mine.raises import Raise
from whyraise.mine.scopes import Function, Module, Scope
from whyraise.mine.templates import templates

# Prose has so many words and characters; less stands in every program.
_WORDS, _CHARACTERS = 4, 24
_WORD = r"\b[A-Za-z][a-z']+\b"


def fragments(module: Module, known: list[Raise]) -> Iterator[Raise]:
    """Yield the prose of a module's functions that no message in `known` has, as messages without a class."""
    said = {part.strip() for one in known for part in one.template if isinstance(part, str)}
    for function, owner in module.bodies:
        name = f"{owner.name}.{function.name}" if owner else function.name
        scope = Scope(module, owner, function, {})
        for node in _texts(function):
            template = templates(node, scope)[0]
            own = [part.strip() for part in template if isinstance(part, str)]
            if _is_prose(" ".join(own)) and not any(part in told for part in own if len(part) > 9 for told in said):
                yield Raise("", template, "error", name, node.lineno, (), kind="fragment")


def _texts(function: Function) -> Iterator[ast.expr]:
    """Yield the texts of a function's own body, documentation and those of inner functions left out."""
    documented = function.body[0] if ast.get_docstring(function) is not None else None
    for node in _own(function, documented):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield node


def _own(node: ast.AST, left_out: ast.AST | None) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if child is not left_out and not isinstance(child, Function | ast.ClassDef):
            yield child
            if not isinstance(child, ast.JoinedStr):
                yield from _own(child, left_out)


def _is_prose(text: str) -> bool:
    return len(text) >= _CHARACTERS and len(re.findall(_WORD, text)) >= _WORDS
