"""Resolve names across the modules of a source tree to classes and functions, reading files when needed."""

from __future__ import annotations

import ast
import os
import warnings
from functools import lru_cache

from whyraise.mine.scopes import UNREADABLE, Function, Module, Scope, read_file
from whyraise.namedtuples import NamedTuple

# The maximum number of imports of imports that are followed, and of bases of bases.
_MAX_DEPTH = 4


class Definition(NamedTuple):
    """A class or function, and the module that defines it."""

    node: ast.ClassDef | Function
    module: Module


def definition(node: ast.expr, module: Module) -> Definition | None:
    """Return the definition of a name or dotted name, from this module or another module of its package."""
    name = _dotted_name(node)
    first, _, rest = name.partition(".")
    if not rest and (own := _own_definition(name, module)):
        return own
    imported = module.imports.get(first)
    if not imported or imported.partition(".")[0] != module.site.partition("/")[0].removesuffix(".py"):
        return None
    return _imported_definition(f"{imported}.{rest}" if rest else imported, module.root, _MAX_DEPTH)


def class_and_bases(defined: Definition) -> list[Definition]:
    """Return a class, its first base, the first base of that, and so on while their package defines them."""
    classes = [defined]
    while len(classes) <= _MAX_DEPTH and isinstance(classes[-1].node, ast.ClassDef) and classes[-1].node.bases:
        base = definition(classes[-1].node.bases[0], classes[-1].module)
        if base is None or not isinstance(base.node, ast.ClassDef) or base in classes:
            break
        classes.append(base)
    return classes


def called_function(node: ast.expr, scope: Scope) -> Definition | None:
    """Return the function of this package, or the method of this class, that `node(...)` calls; None for a class."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        classes = class_and_bases(Definition(scope.owner, scope.module)) if scope.owner else []
        found = (
            Definition(method, defined.module)
            for defined in classes
            for method in methods(defined)
            if method.name == node.attr
        )
        return next(found, None)
    called = definition(node, scope.module)
    return called if called and isinstance(called.node, Function) else None


def called_name(call: ast.Call) -> str:
    """Return the last name of the called function: `warn` for `warnings.warn(...)`; empty if it has no name."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def methods(defined: Definition) -> list[Function]:
    """Return the methods that a class itself defines."""
    return [node for node in ast.iter_child_nodes(defined.node) if isinstance(node, Function)]


def _dotted_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        prefix = _dotted_name(node.value)
        return f"{prefix}.{node.attr}" if prefix else ""
    return node.id if isinstance(node, ast.Name) else ""


def _own_definition(name: str, module: Module) -> Definition | None:
    found = module.classes.get(name) or module.functions.get(name)
    return Definition(found, module) if found else None


def _imported_definition(dotted: str, root: str, depth: int) -> Definition | None:
    module_name, _, name = dotted.rpartition(".")
    module = _module(root, module_name) if module_name and depth else None
    if module is None:
        return None
    if own := _own_definition(name, module):
        return own
    return _imported_definition(module.imports[name], root, depth - 1) if name in module.imports else None


@lru_cache(maxsize=64)
def _module(root: str, dotted: str) -> Module | None:
    base = dotted.replace(".", "/")
    for site in (f"{base}.py", f"{base}/__init__.py"):
        if os.path.isfile(os.path.join(root, site)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return read_file(os.path.join(root, site), site)[1]
            except UNREADABLE:
                return None
    return None
