"""Caught exceptions: which names hold one, and the messages that its class is raised with."""

from __future__ import annotations

import ast
from functools import lru_cache

from whyraise.mine.imports import Definition, definition
from whyraise.mine.scopes import Function, Scope


def caught_messages(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what `name` may print if `except X as name` defines it, each expression with the scope to read it in.

    These are the first arguments of every `raise X(...)` in the module that defines X; X must be of the same package.
    """
    types = _handlers(scope.function).get(name, []) if scope.function else []
    found = [known for error_type in types if (known := definition(error_type, scope.module))]
    return [message for known in found if isinstance(known.node, ast.ClassDef) for message in _raised_with(known)]


def is_reraise(node: ast.expr | None, scope: Scope) -> bool:
    """Return whether `raise node` raises a caught exception again: its innermost frame is elsewhere."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "with_traceback":
        node = node.func.value
    if not isinstance(node, ast.Name) or scope.function is None:
        return isinstance(node, ast.Name)
    handlers = (child for child in ast.walk(scope.function) if isinstance(child, ast.ExceptHandler))
    return any(handler.name == node.id for handler in handlers)


@lru_cache(maxsize=512)
def _handlers(function: Function) -> dict[str, list[ast.expr]]:
    """Return the names of caught exceptions in a function, each with the classes that it may be of."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler) and node.name and node.type:
            types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            found.setdefault(node.name, []).extend(types)
    return found


def _raised_with(error_class: Definition) -> list[tuple[ast.expr, Scope]]:
    """Return the first arguments of every `raise` of a class in the module that defines it."""
    name = error_class.node.name
    return [
        (node.exc.args[0], Scope(error_class.module, owner, function, {}))
        for function, owner in error_class.module.bodies
        for node in _raise_statements(function)
        if isinstance(node.exc, ast.Call) and node.exc.args and getattr(node.exc.func, "id", "") == name
    ]


@lru_cache(maxsize=512)
def _raise_statements(function: Function) -> list[ast.Raise]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Raise)]
