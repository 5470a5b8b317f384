"""Where a module raises, warns or logs an error, and with which class and message."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whyraise.mine.messages import Hole, Template, templates
from whyraise.mine.scopes import Function, Module, Scope, bind, parameters, values_of
from whyraise.shape import NamedTuple

# How functions that warn or log are called, and the severity of what they say.
_SAYING = {
    "warn": "warning", "warn_explicit": "warning", "warning": "warning", "rank_zero_warn": "warning",
    "rank_zero_deprecation": "warning", "warn_once": "warning", "warning_once": "warning", "error": "error",
    "critical": "error", "exception": "error",
}  # fmt: skip
# Those of them that give a warning, which has a class; what a logger says has none.
_WARNING = ("warn", "warn_explicit", "warn_once", "rank_zero_warn", "rank_zero_deprecation")
# Methods by which an exception class makes its own text.
_TEXT_MAKERS = ("__init__", "__str__")
_LOGGERS = ("log", "logger", "logging", "warnings", "_logger", "LOG", "LOGGER", "_log", "log_once")
_CHECKS = {
    "_check": "RuntimeError",
    "_check_value": "ValueError",
    "_check_index": "IndexError",
    "_check_type": "TypeError",
}


class Raise(NamedTuple):
    """One message that a module may give: class, template, severity, and where.

    `function` is the qualified name of the function whose frame raises, `line` counts from 1, `guards` are the
    conditions under which that line is reached, outermost first.
    """

    error_class: str
    template: Template
    severity: str
    function: str
    line: int
    guards: tuple[str, ...]


def raises(tree: ast.Module, module: Module) -> Iterator[Raise]:
    """Yield every message of a module, in the order of its lines."""
    yield from _Walk(module).below(tree, Scope(module, None, None, {}), "", ())


class _Walk:
    """Walks a module with what surrounds each statement."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def below(self, node: ast.AST, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
        for child in ast.iter_child_nodes(node):
            inner, below, held = scope, name, guards
            if isinstance(child, ast.ClassDef):
                inner, below, held = scope._replace(owner=child), f"{name}.{child.name}".lstrip("."), ()
            elif isinstance(child, Function):
                inner, below, held = scope._replace(function=child), f"{name}.{child.name}".lstrip("."), ()
            elif isinstance(node, ast.If | ast.While | ast.ExceptHandler):
                held = (*guards, _guard(node, child))
            yield from self._here(child, inner, below, tuple(filter(None, held)))
            yield from self.below(child, inner, below, tuple(filter(None, held)))

    def _here(self, node: ast.AST, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from self._raised(node, scope, name, guards)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            made = templates(node.msg, scope)
            yield from (Raise("AssertionError", each, "error", name, node.lineno, guards) for each in made)
        elif isinstance(node, ast.Call):
            yield from self._said(node, scope, name, guards)

    def _raised(self, node: ast.Raise, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
        for call, inner in _calls(node.exc, scope):
            for error_class, made in self._made(call, inner):
                yield Raise(error_class, made, "error", name, node.lineno, guards)

    def _made(self, call: ast.expr, scope: Scope) -> Iterator[tuple[str, Template]]:
        """Yield class and message of what a `raise` names; where both come from parameters, of every caller."""
        kind = call.func if isinstance(call, ast.Call) else call
        given = call.args if isinstance(call, ast.Call) else []
        if scope.function and not scope.bound and _depends(call, parameters(scope.function)):
            yield from self._by_callers(call, scope)
        for error_class in _classes(kind, scope):
            own = self._module.classes.get(error_class)
            if own and isinstance(call, ast.Call) and (made := _of_class(own, call, scope)):
                yield from ((error_class, each) for each in made)
            elif own and any(isinstance(node, Function) and node.name in _TEXT_MAKERS for node in own.body):
                yield error_class, ()  # what it makes of its arguments was not followed
            elif given and not isinstance(given[0], ast.Starred):
                yield from ((error_class, each) for each in templates(given[0], scope))
            elif own or not given:
                yield error_class, ()

    def _by_callers(self, call: ast.expr, scope: Scope) -> Iterator[tuple[str, Template]]:
        """Yield what the callers of a helper in the same module raise through it."""
        assert scope.function
        for node, outer in self._module_calls(scope.function.name):
            bound = bind(node, scope.function, outer)
            if bound:
                yield from self._made(call, scope._replace(bound=bound))

    def _module_calls(self, name: str) -> Iterator[tuple[ast.Call, Scope]]:
        for function, owner in self._module.bodies:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and _called(node) == name and function.name != name:
                    yield node, Scope(self._module, owner, function, {})

    def _said(self, node: ast.Call, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
        called, arguments = _called(node), [each for each in node.args if not isinstance(each, ast.Starred)]
        if called in _CHECKS and len(arguments) > 1:
            told = arguments[1].body if isinstance(arguments[1], ast.Lambda) else arguments[1]
            yield from (
                Raise(_CHECKS[called], each, "error", name, node.lineno, guards) for each in templates(told, scope)
            )
        elif called in _SAYING and arguments and _is_logger(node.func):
            message = arguments[0]
            if called not in ("warn", "rank_zero_warn", "rank_zero_deprecation") and arguments[1:]:
                message = ast.BinOp(left=message, op=ast.Mod(), right=ast.Tuple(elts=arguments[1:], ctx=ast.Load()))
            kind = _category(node) if called in _WARNING else ""
            made = templates(message, scope)
            yield from (Raise(kind, each, _SAYING[called], name, node.lineno, guards) for each in made)


def _calls(node: ast.expr | None, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what a `raise` raises: itself, or what was assigned to the name that it raises."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "with_traceback":
        return _calls(node.func.value, scope)
    if isinstance(node, ast.Name) and not node.id[:1].isupper():
        known = values_of(node.id, scope)
        return [(value, inner) for value, inner in known if isinstance(value, ast.Call)]
    return [(node, scope)] if node is not None else []


def _classes(node: ast.expr, scope: Scope) -> list[str]:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    if name[:1].isupper() or name.lstrip("_")[:1].isupper():
        return [name]
    known = [each for value, inner in values_of(name, scope) for each in _classes(value, inner)] if name else []
    return list(dict.fromkeys(known))


def _of_class(owner: ast.ClassDef, call: ast.Call, scope: Scope) -> list[Template]:
    """Return the messages of an exception class that makes its text itself, in `__init__` or `__str__`."""
    methods = {node.name: node for node in owner.body if isinstance(node, Function)}
    init, text = methods.get("__init__"), methods.get("__str__")
    found: list[Template] = []
    if text:
        inner = Scope(scope.module, owner, text, {})
        returned = [node.value for node in ast.walk(text) if isinstance(node, ast.Return) and node.value]
        found = [each for value in returned for each in templates(value, inner)]
    elif init:
        inner = Scope(scope.module, owner, init, bind(call, init, scope))
        calls = (node for node in ast.walk(init) if isinstance(node, ast.Call))
        passed = [text for call in calls if _is_parent_init(call) for text in _texts(call)]
        found = [each for value in passed for each in templates(value, inner)]
    return [each for each in found if any(isinstance(part, str) for part in each)]


def _is_parent_init(call: ast.Call) -> bool:
    is_init = isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"
    return is_init and bool(call.args) and not isinstance(call.args[0], ast.Starred)


def _texts(call: ast.Call) -> list[ast.expr]:
    """Return the text that a call of a parent's `__init__` is given; called on the class, it is given `self` first."""
    given = call.args[1:] if isinstance(call.args[0], ast.Name) and call.args[0].id == "self" else call.args
    return given[:1]


def _depends(call: ast.expr, names: list[str]) -> bool:
    """Say whether class or message of a `raise` is no more than a parameter."""
    parts = [call.func, *call.args[:1]] if isinstance(call, ast.Call) else [call]
    return any(isinstance(part, ast.Name) and part.id in names for part in parts)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_logger(node: ast.expr) -> bool:
    """Say whether what is called is a logger's method, or a function that says by its name that it warns."""
    if isinstance(node, ast.Attribute):
        owner = node.value
        name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
        return name in _LOGGERS
    return isinstance(node, ast.Name) and "warn" in node.id


def _category(node: ast.Call) -> str:
    given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "category")]
    names = [each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in given]
    return next((name for name in names if name.endswith("Warning")), "UserWarning")


def _guard(node: ast.AST, child: ast.AST) -> str:
    """Return the condition under which a branch is taken, or nothing where the child is the condition itself."""
    if isinstance(node, ast.ExceptHandler):
        return f"except {ast.unparse(node.type)}" if node.type is not None and child is not node.type else ""
    if isinstance(node, ast.If | ast.While):
        if child in node.body:
            return ast.unparse(node.test)
        if isinstance(node, ast.If) and child in node.orelse:
            return f"not ({ast.unparse(node.test)})"
    return ""


def is_literal(template: Template) -> bool:
    """Say whether a template has text of its own."""
    return any(isinstance(part, str) and part.strip() for part in template)


def holes(template: Template) -> list[str]:
    """Return the sources of a template's placeholders."""
    return [part.source for part in template if isinstance(part, Hole)]
