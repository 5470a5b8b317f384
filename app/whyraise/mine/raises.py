"""Where a module raises, warns or logs an error, and with which class and message."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from whyraise.mine.imports import Definition, definition, helper_of, lineage, methods
from whyraise.mine.rewritten import rewritten
from whyraise.mine.scopes import Function, Module, Scope, bind, parameters, values_of
from whyraise.mine.templates import Template, has_words, returned_values, templates
from whyraise.namedtuples import NamedTuple

Kind = Literal["template", "fragment", "rewritten"]

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
# Helpers that make exceptions by helpers, and names assigned from names: followed so far.
_DEEPEST = 3
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
    conditions under which that line is reached, outermost first. `direct` says that the message stands in the
    statement itself; a row without texts stands for whatever else may be raised there. `kind` says how sure it is that
    the text is a message of this place: a `template` is one, a `fragment` may be a part of one, and what is `rewritten`
    becomes the message of an exception that was raised elsewhere.
    """

    error_class: str
    template: Template
    severity: str
    function: str
    line: int
    guards: tuple[str, ...]
    direct: bool = False
    kind: Kind = "template"


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
            made = [("AssertionError", each) for each in templates(node.msg, scope)]
            yield from self._all(made, node, node.msg, name, guards)
        elif isinstance(node, ast.Call):
            yield from self._said(node, scope, name, guards)
        if isinstance(node, ast.Assign | ast.Call):
            for each in rewritten(node, scope):
                yield Raise("", each, "error", name, node.lineno, guards, kind="rewritten")

    def _raised(self, node: ast.Raise, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
        calls = _calls(node.exc, scope)
        made = [each for call, inner in calls for each in self._made(call, inner)]
        given = node.exc.args[:1] if isinstance(node.exc, ast.Call) else []
        yield from self._all(made, node, given[0] if given else None, name, guards)
        if not made and not _is_caught(node.exc, scope):
            yield Raise("", (), "error", name, node.lineno, guards)

    def _all(
        self,
        made: list[tuple[str, Template]],
        node: ast.stmt,
        text: ast.expr | None,
        name: str,
        guards: tuple[str, ...],
    ) -> Iterator[Raise]:
        """Yield all that a statement may raise, and one row without text for each class where more may be possible."""
        direct = len(made) == 1 and (text is None or _is_direct(text))
        for error_class, template in made:
            yield Raise(error_class, template, "error", name, node.lineno, guards, direct)
        if not direct:
            for error_class in dict.fromkeys(error_class for error_class, _ in made):
                yield Raise(error_class, (), "error", name, node.lineno, guards)

    def _made(self, call: ast.expr, scope: Scope, depth: int = 0) -> Iterator[tuple[str, Template]]:
        """Yield class and message of what a `raise` names; where both come from parameters, of every caller."""
        kind = call.func if isinstance(call, ast.Call) else call
        given = call.args if isinstance(call, ast.Call) else []
        if scope.function and not scope.bound and _depends(call, parameters(scope.function)):
            yield from self._by_callers(call, scope)
        helper = helper_of(kind, scope)
        if isinstance(call, ast.Call) and helper and depth < _DEEPEST:
            for value, inner in returned_values(helper, call, scope):
                yield from self._made(value, inner, depth + 1)
            return
        for error_class in _classes(kind, scope):
            own = definition(kind, scope.module) if isinstance(kind, ast.Name | ast.Attribute) else None
            line = lineage(own) if own else []
            made = _of_class(line, call, scope) if isinstance(call, ast.Call) else []
            if given and not isinstance(given[0], ast.Starred):
                own_text = bool(made) and _prints_itself(line)
                made += [each for each in _of_arguments(given, scope) if not own_text or has_words(each)]
            yield from ((error_class, each) for each in made or [()])

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


def _classes(node: ast.expr, scope: Scope, depth: int = 0) -> list[str]:
    """Return the bare names of the classes that a name stands for; names may be assigned to themselves."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    if name[:1].isupper() or name.lstrip("_")[:1].isupper():
        return [name]
    values = values_of(name, scope) if name and depth < _DEEPEST else []
    return list(dict.fromkeys(each for value, inner in values for each in _classes(value, inner, depth + 1)))


def _prints_itself(line: list[Definition]) -> bool:
    """Say whether a class gives its parent another text than the one it is made with."""
    return any(method.name in _TEXT_MAKERS for each in line[:1] for method in methods(each))


def _of_arguments(given: list[ast.expr], scope: Scope) -> list[Template]:
    """Return the messages of an exception that prints its argument; where a code comes first, the text is next."""
    made = templates(given[0], scope)
    second = given[1] if len(given) > 1 and isinstance(given[1], ast.Constant) else None
    if second and isinstance(second.value, str) and " " in second.value:
        filled = ast.Call(func=ast.Attribute(value=second, attr="format", ctx=ast.Load()), args=[], keywords=[])
        made = [*made, *templates(filled, scope)]
    return made


def _of_class(line: list[Definition], call: ast.Call, scope: Scope) -> list[Template]:
    """Return the messages of an exception class that makes its text itself, in `__init__` or `__str__`."""
    owner = line[0].node if line else None
    for name in reversed(_TEXT_MAKERS):
        for each in line:
            for method in methods(each):
                if method.name == name:
                    made = _text_of(method, Scope(each.module, owner, method, {}), call, scope)  # type: ignore[arg-type]
                    return [template for template in made if any(isinstance(part, str) for part in template)]
    return []


def _text_of(method: Function, inner: Scope, call: ast.Call, scope: Scope) -> list[Template]:
    if method.name == "__str__":
        returned = [node.value for node in ast.walk(method) if isinstance(node, ast.Return) and node.value]
        return [each for value in returned for each in templates(value, inner)]
    bound = inner._replace(bound=bind(call, method, scope))
    calls = (node for node in ast.walk(method) if isinstance(node, ast.Call))
    passed = [text for node in calls if _is_parent_init(node) for text in _texts(node)]
    return [each for value in passed for each in templates(value, bound)]


def _is_direct(node: ast.expr) -> bool:
    """Say whether a text is written where it is used."""
    if isinstance(node, ast.BinOp):
        return _is_direct(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _is_direct(node.func.value)
    return isinstance(node, ast.Constant | ast.JoinedStr)


def _is_caught(node: ast.expr | None, scope: Scope) -> bool:
    """Say whether what is raised was raised before: its innermost frame is elsewhere."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "with_traceback":
        node = node.func.value
    if not isinstance(node, ast.Name) or scope.function is None:
        return isinstance(node, ast.Name)
    handlers = (each for each in ast.walk(scope.function) if isinstance(each, ast.ExceptHandler))
    return any(handler.name == node.id for handler in handlers)


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
