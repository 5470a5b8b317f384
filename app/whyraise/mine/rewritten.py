"""Find messages that code writes into an exception which other code raised, so that its frames point elsewhere."""

from __future__ import annotations

import ast
from functools import lru_cache

from whyraise.mine.imports import definition
from whyraise.mine.message_template import Template
from whyraise.mine.scopes import Function, Scope, bind, parameters
from whyraise.mine.templates import templates

# Suffixes of the names of exception classes in annotations.
_SUFFIXES = ("Exception", "Error")


def rewritten_messages(node: ast.AST, scope: Scope) -> list[Template]:
    """Return the messages that a statement gives to an exception which it did not raise.

    The statement assigns to `args`, or calls a function of its package that assigns its own arguments to them.
    """
    found = _set_by_helper(node, scope) if isinstance(node, ast.Call) else [(args, scope) for args in _set_args(node)]
    read = [template for value, inner in found for text in _texts(value) for template in templates(text, inner)]
    return [template for template in read if any(isinstance(part, str) and " " in part for part in template)]


def _set_args(node: ast.AST) -> list[ast.expr]:
    """Return what a statement assigns to the `args` of an exception, unless it is a class that sets its own."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    owners = [target.value for target in targets if isinstance(target, ast.Attribute) and target.attr == "args"]
    is_other = any(isinstance(owner, ast.Name) and owner.id not in ("self", "parser") for owner in owners)
    return [node.value] if is_other and isinstance(node, ast.Assign) else []


def _set_by_helper(call: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    names = {argument.id for argument in call.args if isinstance(argument, ast.Name)}
    if scope.function is None or not names & _exception_names(scope.function):
        return []
    helper = definition(call.func, scope.module)
    if helper is None or not isinstance(helper.node, Function):
        return []
    inner = Scope(helper.module, None, helper.node, bind(call, helper.node, scope))
    return [(value, inner) for value in _set_from_parameters(helper.node)]


@lru_cache(maxsize=512)
def _exception_names(function: Function) -> frozenset[str]:
    """Return the names of exceptions in a function: caught ones, and parameters annotated as exceptions."""
    caught = {node.name for node in ast.walk(function) if isinstance(node, ast.ExceptHandler) and node.name}
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    annotated = {
        argument.arg
        for argument in arguments
        if argument.annotation and ast.unparse(argument.annotation).endswith(_SUFFIXES)
    }
    return frozenset(caught | annotated)


@lru_cache(maxsize=512)
def _set_from_parameters(function: Function) -> list[ast.expr]:
    """Return the values that a function assigns to the `args` of an exception and that use its own parameters."""
    names = set(parameters(function))
    values = [value for node in ast.walk(function) for value in _set_args(node)]
    return [value for value in values if names & {name.id for name in ast.walk(value) if isinstance(name, ast.Name)}]


def _texts(value: ast.expr) -> list[ast.expr]:
    """Return the expressions that may be the text in a value of `args`."""
    if isinstance(value, ast.BinOp):
        return _texts(value.left)
    if isinstance(value, ast.Tuple | ast.List):
        return value.elts[:1]
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.GeneratorExp | ast.ListComp):
        return [value.args[0].elt]
    return []
