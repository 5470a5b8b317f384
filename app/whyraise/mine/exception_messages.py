"""Read the classes and messages of the exceptions that a `raise` statement raises."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whyraise.mine.imports import Definition, called_function, called_name, class_and_bases, definition, methods
from whyraise.mine.message_template import Template, has_literal, has_words
from whyraise.mine.scopes import Function, Module, Scope, bind, parameters, values_of
from whyraise.mine.templates import returned_values, templates

# The methods in which an exception class makes its own text.
_TEXT_METHODS = ("__init__", "__str__")
# The maximum number of helpers that return exceptions, and of assignments from name to name, that are followed.
_MAX_DEPTH = 3

# The bare name of a class, and a message of it.
Message = tuple[str, Template]


def raised_messages(node: ast.expr | None, scope: Scope) -> list[Message]:
    """Return class and message of each exception that `raise node` may raise, without those it raises again."""
    expressions = _raised_expressions(node, scope)
    return [message for value, inner in expressions for message in _messages(value, inner, scope.module)]


def _raised_expressions(node: ast.expr | None, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what a `raise` raises: the expression itself, or the calls assigned to the name that it raises."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "with_traceback":
        return _raised_expressions(node.func.value, scope)
    if isinstance(node, ast.Name) and not node.id[:1].isupper():
        values = values_of(node.id, scope)
        return [(value, inner) for value, inner in values if isinstance(value, ast.Call)]
    return [(node, scope)] if node is not None else []


def _messages(raised: ast.expr, scope: Scope, module: Module, depth: int = 0) -> Iterator[Message]:
    """Yield class and message of a raised expression.

    If a parameter gives one of them, the arguments of every caller in `module`, which holds the `raise`, are read.
    """
    function = raised.func if isinstance(raised, ast.Call) else raised
    if scope.function and not scope.bound and _is_from_parameter(raised, parameters(scope.function)):
        yield from _messages_by_callers(raised, scope, module)
    helper = called_function(function, scope)
    if isinstance(raised, ast.Call) and helper and depth < _MAX_DEPTH:
        for value, inner in returned_values(helper, raised, scope):
            yield from _messages(value, inner, module, depth + 1)
        return
    for error_class in _class_names(function, scope):
        for template in _texts(raised, scope) or [()]:
            yield error_class, template


def _messages_by_callers(raised: ast.expr, scope: Scope, module: Module) -> Iterator[Message]:
    """Yield what the callers of a helper raise through it."""
    assert scope.function
    for call, outer in _calls_in_module(scope.function.name, module):
        bound = bind(call, scope.function, outer)
        if bound:
            yield from _messages(raised, scope._replace(bound=bound), module)


def _calls_in_module(name: str, module: Module) -> Iterator[tuple[ast.Call, Scope]]:
    for function, owner in module.bodies:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and called_name(node) == name and function.name != name:
                yield node, Scope(module, owner, function, {})


def _is_from_parameter(raised: ast.expr, names: list[str]) -> bool:
    """Return whether the class or the message of a raised expression is just a parameter."""
    parts = [raised.func, *raised.args[:1]] if isinstance(raised, ast.Call) else [raised]
    return any(isinstance(part, ast.Name) and part.id in names for part in parts)


def _class_names(node: ast.expr, scope: Scope, depth: int = 0) -> list[str]:
    """Return the bare names of the classes that a name stands for, up to a depth, as names may refer to themselves."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    if name[:1].isupper() or name.lstrip("_")[:1].isupper():
        return [name]
    values = values_of(name, scope) if name and depth < _MAX_DEPTH else []
    return list(dict.fromkeys(found for value, inner in values for found in _class_names(value, inner, depth + 1)))


def _texts(raised: ast.expr, scope: Scope) -> list[Template]:
    """Return the messages of a raised expression: those that its class makes, then those of its arguments."""
    if not isinstance(raised, ast.Call):
        return []
    own = definition(raised.func, scope.module) if isinstance(raised.func, ast.Name | ast.Attribute) else None
    classes = class_and_bases(own) if own else []
    made = _texts_of_class(classes, raised, scope)
    if raised.args and not isinstance(raised.args[0], ast.Starred):
        has_own_text = bool(made) and _makes_text(classes)
        made += [text for text in _texts_of_arguments(raised.args, scope) if not has_own_text or has_words(text)]
    return made


def _makes_text(classes: list[Definition]) -> bool:
    """Return whether the first class itself makes its text, so that its first argument need not be the message."""
    return any(method.name in _TEXT_METHODS for defined in classes[:1] for method in methods(defined))


def _texts_of_arguments(arguments: list[ast.expr], scope: Scope) -> list[Template]:
    """Return the messages of an exception that prints its first argument; after a code, the second is a text too."""
    made = templates(arguments[0], scope)
    second = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], ast.Constant) else None
    if second and isinstance(second.value, str) and " " in second.value:
        formatted = ast.Call(func=ast.Attribute(value=second, attr="format", ctx=ast.Load()), args=[], keywords=[])
        made = [*made, *templates(formatted, scope)]
    return made


def _texts_of_class(classes: list[Definition], call: ast.Call, scope: Scope) -> list[Template]:
    """Return the messages that an exception class makes itself, in the nearest `__str__`, or else `__init__`."""
    owner = classes[0].node if classes else None
    for name in reversed(_TEXT_METHODS):
        for defined in classes:
            for method in methods(defined):
                if method.name == name:
                    inner = Scope(defined.module, owner, method, {})  # type: ignore[arg-type]
                    return [
                        template for template in _texts_of_method(method, inner, call, scope) if has_literal(template)
                    ]
    return []


def _texts_of_method(method: Function, inner: Scope, call: ast.Call, scope: Scope) -> list[Template]:
    """Return what `__str__` returns, or what `__init__` gives to the `__init__` of a parent class."""
    if method.name == "__str__":
        returned = [node.value for node in ast.walk(method) if isinstance(node, ast.Return) and node.value]
        return [template for value in returned for template in templates(value, inner)]
    bound = inner._replace(bound=bind(call, method, scope))
    calls = (node for node in ast.walk(method) if isinstance(node, ast.Call))
    given = [text for node in calls if _is_parent_init(node) for text in _parent_init_text(node)]
    return [template for value in given for template in templates(value, bound)]


def _is_parent_init(call: ast.Call) -> bool:
    is_init = isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"
    return is_init and bool(call.args) and not isinstance(call.args[0], ast.Starred)


def _parent_init_text(call: ast.Call) -> list[ast.expr]:
    """Return the first argument of a parent's `__init__`, without `self`, which a call on the class has first."""
    arguments = call.args[1:] if isinstance(call.args[0], ast.Name) and call.args[0].id == "self" else call.args
    return arguments[:1]
