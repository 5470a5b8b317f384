"""Messages that are written anew into an exception which other code raised: its frames point there."""

from __future__ import annotations

import ast
from functools import lru_cache

from whyraise.mine.imports import definition
from whyraise.mine.scopes import Function, Scope, bind, parameters
from whyraise.mine.templates import Template, templates

# How the classes of exceptions end, as annotations name them.
_ENDINGS = ("Exception", "Error")


def rewritten(node: ast.AST, scope: Scope) -> list[Template]:
    """Return the messages that a statement gives to an exception which it did not raise.

    It sets `args` itself, or calls a function of its package that sets them to what it is given.
    """
    found = _by_helper(node, scope) if isinstance(node, ast.Call) else [(each, scope) for each in _set(node)]
    made = [template for value, inner in found for text in _texts(value) for template in templates(text, inner)]
    return [each for each in made if any(isinstance(part, str) and " " in part for part in each)]


def _set(node: ast.AST) -> list[ast.expr]:
    """Return what a statement sets the `args` of an exception to; a class that sets its own is no such exception."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = [each.value for each in targets if isinstance(each, ast.Attribute) and each.attr == "args"]
    is_other = any(isinstance(name, ast.Name) and name.id not in ("self", "parser") for name in names)
    return [node.value] if is_other and isinstance(node, ast.Assign) else []


def _by_helper(call: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    given = {each.id for each in call.args if isinstance(each, ast.Name)}
    if scope.function is None or not given & _exceptions(scope.function):
        return []
    helper = definition(call.func, scope.module)
    if helper is None or not isinstance(helper.node, Function):
        return []
    inner = Scope(helper.module, None, helper.node, bind(call, helper.node, scope))
    return [(value, inner) for value in _set_from_parameters(helper.node)]


@lru_cache(maxsize=512)
def _exceptions(function: Function) -> frozenset[str]:
    """Return the names that stand for exceptions in a function: caught ones, and parameters said to be one."""
    caught = {node.name for node in ast.walk(function) if isinstance(node, ast.ExceptHandler) and node.name}
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    said = {each.arg for each in given if each.annotation and ast.unparse(each.annotation).endswith(_ENDINGS)}
    return frozenset(caught | said)


@lru_cache(maxsize=512)
def _set_from_parameters(function: Function) -> list[ast.expr]:
    names = set(parameters(function))
    values = [value for node in ast.walk(function) for value in _set(node)]
    return [value for value in values if names & {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}]


def _texts(value: ast.expr) -> list[ast.expr]:
    """Return the expressions of a row of arguments that may be its text."""
    if isinstance(value, ast.BinOp):
        return _texts(value.left)
    if isinstance(value, ast.Tuple | ast.List):
        return value.elts[:1]
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.GeneratorExp | ast.ListComp):
        return [value.args[0].elt]
    return []
