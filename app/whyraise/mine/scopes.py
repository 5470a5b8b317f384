"""What names stand for in a module: constants, attributes, parameters, and the values that a function gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from whyraise.shape import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """A parsed module: its source, what it names, and all its functions with the classes they stand in."""

    site: str
    source: str
    lines: tuple[str, ...]
    constants: Mapping[str, ast.expr]
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    bodies: tuple[tuple[Function, ast.ClassDef | None], ...]


class Scope(NamedTuple):
    """Where an expression stands: in which module, class and function, and what the parameters are bound to."""

    module: Module
    owner: ast.ClassDef | None
    function: Function | None
    bound: Mapping[str, tuple[ast.expr, Scope]]


def read_module(source: str, site: str) -> tuple[ast.Module, Module]:
    """Parse a module; raise `SyntaxError` or `ValueError` where it is no Python of this version."""
    tree = ast.parse(source)
    bodies = tuple(_bodies(tree, None))
    functions = {function.name: function for function, _ in reversed(bodies)}
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    lines, constants = tuple(source.splitlines()), dict(_assigned(tree.body))
    return tree, Module(site, source, lines, constants, functions, classes, bodies)


def _bodies(node: ast.AST, owner: ast.ClassDef | None) -> Iterator[tuple[Function, ast.ClassDef | None]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield child, owner
        yield from _bodies(child, child if isinstance(child, ast.ClassDef) else owner)


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value


def values_of(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what a name may stand for, each with the scope to read it in: the function's own values first."""
    if name in scope.bound:
        return [scope.bound[name]]
    found: list[tuple[ast.expr, Scope]] = []
    if scope.function:
        found += [(value, scope) for value in _local(name, scope.function)]
        found += [(value, scope) for value in _defaults(name, scope.function)]
    if not found and name in scope.module.constants:
        found.append((scope.module.constants[name], scope._replace(function=None, bound={})))
    return found


def attribute_values(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what an attribute of `self` or of the class may stand for."""
    if scope.owner is None:
        return []
    found = [(value, scope) for each, value in _assigned(scope.owner.body) if each == name]
    for node in ast.walk(scope.owner):
        if isinstance(node, ast.Assign) and any(_is_own(target, name) for target in node.targets):
            found.append((node.value, scope))
    return found


def _is_own(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == name and isinstance(target.value, ast.Name)


def _local(name: str, function: Function) -> Iterator[ast.expr]:
    """Yield what a function assigns to a name; what it adds to it later comes as the sum of both."""
    so_far: list[ast.expr] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            so_far.append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            so_far += [ast.BinOp(left=first, op=ast.Add(), right=node.value) for first in so_far[:1]]
        elif isinstance(node, ast.NamedExpr) and node.target.id == name:
            so_far.append(node.value)
    return iter(so_far)


def _defaults(name: str, function: Function) -> Iterator[ast.expr]:
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    pairs = [*zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True)]
    pairs += [(argument, value) for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value]
    return (value for argument, value in pairs if argument.arg == name)


def parameters(function: Function) -> list[str]:
    """Return the names of a function's parameters, without `self` or `cls`."""
    given = function.args
    names = [argument.arg for argument in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def bind(call: ast.Call, function: Function, scope: Scope) -> dict[str, tuple[ast.expr, Scope]]:
    """Return what a call gives to a function's parameters."""
    names = parameters(function)
    positional = zip(names, (each for each in call.args if not isinstance(each, ast.Starred)), strict=False)
    bound = {name: (value, scope) for name, value in positional}
    return bound | {each.arg: (each.value, scope) for each in call.keywords if each.arg in names and each.arg}
