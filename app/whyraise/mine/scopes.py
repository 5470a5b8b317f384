"""What names stand for in a module: constants, attributes, parameters, and the values that a function gives them."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from whyraise.namedtuples import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef
# What a file may do to whoever reads it: another encoding than it says, an unknown one, deeper than the parser can go.
UNREADABLE = (OSError, SyntaxError, ValueError, LookupError, RecursionError, MemoryError)


class Module(NamedTuple):
    """A parsed module: its source, what it names, and all its functions with the classes they stand in.

    `imports` are the dotted names behind imported ones; `root` is the folder that `site` is relative to.
    """

    site: str
    source: str
    lines: tuple[str, ...]
    constants: Mapping[str, ast.expr]
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    bodies: tuple[tuple[Function, ast.ClassDef | None], ...]
    imports: Mapping[str, str]
    root: str


class Scope(NamedTuple):
    """Where an expression stands: in which module, class and function, and what the parameters are bound to."""

    module: Module
    owner: ast.ClassDef | None
    function: Function | None
    bound: Mapping[str, tuple[ast.expr, Scope]]


def read_file(path: str, site: str) -> tuple[ast.Module, Module]:
    """Parse a file in the encoding that it declares; raise `OSError`, `SyntaxError` or `ValueError` where it cannot."""
    with open(path, "rb") as raw:
        data = raw.read()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return read_module(data.decode(encoding), site, path[: -len(site)])


def read_module(source: str, site: str, root: str = "") -> tuple[ast.Module, Module]:
    """Parse a module; raise `SyntaxError` or `ValueError` where it is no Python of this version."""
    tree = ast.parse(source)
    bodies = tuple(_bodies(tree, None))
    functions = {function.name: function for function, _ in reversed(bodies)}
    nodes = list(ast.walk(tree))
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    lines, constants, imports = tuple(source.splitlines()), dict(_assigned(tree.body)), dict(_imported(nodes, site))
    return tree, Module(site, source, lines, constants, functions, classes, bodies, imports, root)


def _imported(nodes: Iterable[ast.AST], site: str) -> Iterator[tuple[str, str]]:
    """Yield imported names and what they stand for, relative imports made absolute."""
    package = site.split("/")[:-1]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((each.asname or each.name, f"{module}.{each.name}") for each in node.names)
        elif isinstance(node, ast.Import):
            for each in node.names:
                yield (each.asname, each.name) if each.asname else (each.name.partition(".")[0],) * 2


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
        found += [(value, scope) for value in _locals(scope.function).get(name, ())]
        found += [(value, scope) for value in _defaults(name, scope.function)]
    if not found and name in scope.module.constants:
        found.append((scope.module.constants[name], scope._replace(function=None, bound={})))
    return found


def attribute_values(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what an attribute of `self` or of the class may stand for."""
    if scope.owner is None:
        return []
    return [(value, scope) for value in _attributes(scope.owner).get(name, ())]


# Walking a tree is what mining costs; a class or function is asked for many of its names in a row.
@lru_cache(maxsize=512)
def _attributes(owner: ast.ClassDef) -> dict[str, list[ast.expr]]:
    """Return what a class gives to its attributes and to those of `self`."""
    found = defaultdict(list)
    for name, value in _assigned(owner.body):
        found[name].append(value)
    for node in ast.walk(owner):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    found[target.attr].append(node.value)
    return found


@lru_cache(maxsize=512)
def _locals(function: Function) -> dict[str, list[ast.expr]]:
    """Return what a function assigns to names; what it adds to one later comes as the sum of both."""
    found = defaultdict(list)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id].append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            so_far = found[node.target.id]
            so_far += [ast.BinOp(left=first, op=ast.Add(), right=node.value) for first in so_far[:1]]
        elif isinstance(node, ast.NamedExpr):
            found[node.target.id].append(node.value)
    return found


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
