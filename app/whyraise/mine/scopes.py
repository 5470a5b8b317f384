"""Parse modules, and find what their names stand for: constants, attributes, parameters and local variables."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from whyraise.namedtuples import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef
# What reading a file may raise: it may have an encoding other than it declares or an unknown one, or be nested too
# deeply for the parser.
UNREADABLE = (OSError, SyntaxError, ValueError, LookupError, RecursionError, MemoryError)


class Module(NamedTuple):
    """A parsed module: its source, the names that it defines, and all its functions with the classes that hold them.

    `site` is the path of the file relative to the folder `root`. `imports` maps imported names to dotted names.
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
    """The module, class and function that hold an expression, and the arguments that the parameters are bound to.

    Each argument is an expression with the scope to read it in.
    """

    module: Module
    owner: ast.ClassDef | None
    function: Function | None
    bound: Mapping[str, tuple[ast.expr, Scope]]


def read_file(path: str, site: str) -> tuple[ast.Module, Module]:
    """Parse a file in the encoding that it declares; raise one of `UNREADABLE` if that fails."""
    with open(path, "rb") as raw:
        data = raw.read()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return read_module(data.decode(encoding), site, path[: -len(site)])


def read_module(source: str, site: str, root: str = "") -> tuple[ast.Module, Module]:
    """Parse a module; raise `SyntaxError` or `ValueError` if it is not valid for this version of Python."""
    tree = ast.parse(source)
    bodies = tuple(_bodies(tree, None))
    functions = {function.name: function for function, _ in reversed(bodies)}
    nodes = list(ast.walk(tree))
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    lines, constants, imports = tuple(source.splitlines()), dict(_assigned(tree.body)), dict(_imported(nodes, site))
    return tree, Module(site, source, lines, constants, functions, classes, bodies, imports, root)


def _imported(nodes: Iterable[ast.AST], site: str) -> Iterator[tuple[str, str]]:
    """Yield imported names with their dotted names; relative imports become absolute."""
    package = site.split("/")[:-1]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2


def _bodies(node: ast.AST, owner: ast.ClassDef | None) -> Iterator[tuple[Function, ast.ClassDef | None]]:
    """Yield all functions below a node, each with the innermost class that holds it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield child, owner
        yield from _bodies(child, child if isinstance(child, ast.ClassDef) else owner)


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that the statements of a body assign to, each with its value."""
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value


def values_of(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return the values that a name may have, each with the scope to read it in, the function's own values first."""
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
    """Return the values that an attribute of `self` or of the class may have, each with the scope to read it in."""
    if scope.owner is None:
        return []
    return [(value, scope) for value in _attributes(scope.owner).get(name, ())]


# Most of the time of mining is spent on walking trees, and many names of one class or function are looked up in a row.
@lru_cache(maxsize=512)
def _attributes(owner: ast.ClassDef) -> dict[str, list[ast.expr]]:
    """Return the values that a class assigns to its attributes and to those of `self`."""
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
    """Return the values that a function assigns to names; `+=` gives the sum of the first and the added value."""
    found = defaultdict(list)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id].append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            values = found[node.target.id]
            values += [ast.BinOp(left=first, op=ast.Add(), right=node.value) for first in values[:1]]
        elif isinstance(node, ast.NamedExpr):
            found[node.target.id].append(node.value)
    return found


def _defaults(name: str, function: Function) -> Iterator[ast.expr]:
    """Return the default of a parameter, if it has one."""
    signature = function.args
    positional = [*signature.posonlyargs, *signature.args]
    pairs = [*zip(positional[len(positional) - len(signature.defaults) :], signature.defaults, strict=True)]
    keywords = zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
    pairs += [(argument, value) for argument, value in keywords if value]
    return (value for argument, value in pairs if argument.arg == name)


def parameters(function: Function) -> list[str]:
    """Return the names of a function's parameters, without `self` or `cls`."""
    signature = function.args
    names = [argument.arg for argument in [*signature.posonlyargs, *signature.args, *signature.kwonlyargs]]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def bind(call: ast.Call, function: Function, scope: Scope) -> dict[str, tuple[ast.expr, Scope]]:
    """Return the arguments that a call gives to a function's parameters, by name, each with the scope to read it in."""
    names = parameters(function)
    positional = zip(names, (argument for argument in call.args if not isinstance(argument, ast.Starred)), strict=False)
    bound = {name: (value, scope) for name, value in positional}
    keywords = (keyword for keyword in call.keywords if keyword.arg in names)
    return bound | {keyword.arg: (keyword.value, scope) for keyword in keywords if keyword.arg}
