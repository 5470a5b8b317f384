"""What names stand for across the modules of a source tree: classes and functions, read from files when needed."""

from __future__ import annotations

import ast
import os
import warnings
from functools import lru_cache

from whyraise.mine.scopes import UNREADABLE, Function, Module, Scope, read_file
from whyraise.namedtuples import NamedTuple

# How often a name may be imported on from module to module, and how long a line of bases may be.
_DEEPEST = 4


class Definition(NamedTuple):
    """A class or function, and the module that it stands in."""

    node: ast.ClassDef | Function
    module: Module


def definition(node: ast.expr, module: Module) -> Definition | None:
    """Return what a name or dotted name of a module is defined as, in it or in another module of its package."""
    name = _dotted(node)
    first, _, rest = name.partition(".")
    if not rest and (own := _own(name, module)):
        return own
    imported = module.imports.get(first)
    if not imported or imported.partition(".")[0] != module.site.partition("/")[0].removesuffix(".py"):
        return None
    return _found(f"{imported}.{rest}" if rest else imported, module.root, _DEEPEST)


def lineage(known: Definition) -> list[Definition]:
    """Return a class and its first bases, as far as they are defined in its package."""
    line = [known]
    while len(line) <= _DEEPEST and isinstance(line[-1].node, ast.ClassDef) and line[-1].node.bases:
        base = definition(line[-1].node.bases[0], line[-1].module)
        if base is None or not isinstance(base.node, ast.ClassDef) or base in line:
            break
        line.append(base)
    return line


def helper_of(node: ast.expr, scope: Scope) -> Definition | None:
    """Return the function of this package, or the method of this class, that a call calls; nothing for a class."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        line = lineage(Definition(scope.owner, scope.module)) if scope.owner else []
        found = (Definition(body, each.module) for each in line for body in methods(each) if body.name == node.attr)
        return next(found, None)
    known = definition(node, scope.module)
    return known if known and isinstance(known.node, Function) else None


def methods(known: Definition) -> list[Function]:
    """Return the methods that a class itself defines."""
    return [node for node in ast.iter_child_nodes(known.node) if isinstance(node, Function)]


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, ast.Name) else ""


def _own(name: str, module: Module) -> Definition | None:
    found = module.classes.get(name) or module.functions.get(name)
    return Definition(found, module) if found else None


def _found(dotted: str, root: str, depth: int) -> Definition | None:
    before, _, name = dotted.rpartition(".")
    module = _module(root, before) if before and depth else None
    if module is None:
        return None
    if own := _own(name, module):
        return own
    return _found(module.imports[name], root, depth - 1) if name in module.imports else None


@lru_cache(maxsize=64)
def _module(root: str, dotted: str) -> Module | None:
    site = dotted.replace(".", "/")
    for each in (f"{site}.py", f"{site}/__init__.py"):
        if os.path.isfile(os.path.join(root, each)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return read_file(os.path.join(root, each), each)[1]
            except UNREADABLE:
                return None
    return None
