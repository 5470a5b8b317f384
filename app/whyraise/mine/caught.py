"""What a caught exception says where its text is put into another message: what its class is raised with."""

from __future__ import annotations

import ast
from functools import lru_cache

from whyraise.mine.imports import Definition, definition
from whyraise.mine.scopes import Function, Scope


def texts_of_caught(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what `name` may print where `except X as name` caught it, each with the scope to read it in.

    Known is what the module that defines X raises X with; X itself must be of the same package.
    """
    kinds = _handlers(scope.function).get(name, []) if scope.function else []
    known = [found for kind in kinds if (found := definition(kind, scope.module))]
    return [text for each in known if isinstance(each.node, ast.ClassDef) for text in _raised(each)]


@lru_cache(maxsize=512)
def _handlers(function: Function) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler) and node.name and node.type:
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            found.setdefault(node.name, []).extend(kinds)
    return found


def _raised(known: Definition) -> list[tuple[ast.expr, Scope]]:
    name = known.node.name
    return [
        (node.exc.args[0], Scope(known.module, owner, function, {}))
        for function, owner in known.module.bodies
        for node in _raises(function)
        if isinstance(node.exc, ast.Call) and node.exc.args and getattr(node.exc.func, "id", "") == name
    ]


@lru_cache(maxsize=512)
def _raises(function: Function) -> list[ast.Raise]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Raise)]
