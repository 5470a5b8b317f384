"""Find every message that a module raises, asserts, warns or logs, with its class, line and conditions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from whyraise.mine.caught import is_reraise
from whyraise.mine.exception_messages import Message, raised_messages
from whyraise.mine.message_calls import call_messages
from whyraise.mine.message_template import Template
from whyraise.mine.rewritten import rewritten_messages
from whyraise.mine.scopes import Function, Module, Scope
from whyraise.mine.templates import templates
from whyraise.namedtuples import NamedTuple

Kind = Literal["template", "fragment", "rewritten"]


class Raise(NamedTuple):
    """A message that a module may give: its class, template, severity and place.

    `function` is the qualified name of the function whose frame raises, `line` counts from 1, `guards` are the
    conditions under which that line is reached, outermost first. `direct` is true if the text is written in the
    statement itself. An empty template stands for any other message that may be raised there. `kind` tells how certain
    it is that the text is a message of this place: a `template` is one, a `fragment` may be a part of one, and a
    `rewritten` text becomes the message of an exception that was raised elsewhere.
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
    yield from _below(tree, Scope(module, None, None, {}), "", ())


def _below(node: ast.AST, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
    """Yield the messages of all nodes below a node; `name` is the qualified name of the function or class around it."""
    for child in ast.iter_child_nodes(node):
        inner, inner_name, inner_guards = scope, name, guards
        if isinstance(child, ast.ClassDef):
            inner, inner_name, inner_guards = scope._replace(owner=child), _qualified(name, child), ()
        elif isinstance(child, Function):
            inner, inner_name, inner_guards = scope._replace(function=child), _qualified(name, child), ()
        elif isinstance(node, ast.If | ast.While | ast.ExceptHandler):
            inner_guards = (*guards, _guard(node, child))
        inner_guards = tuple(filter(None, inner_guards))
        yield from _of_node(child, inner, inner_name, inner_guards)
        yield from _below(child, inner, inner_name, inner_guards)


def _qualified(name: str, node: ast.ClassDef | Function) -> str:
    return f"{name}.{node.name}".lstrip(".")


def _of_node(node: ast.AST, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
    if isinstance(node, ast.Raise) and node.exc is not None:
        yield from _of_raise(node, scope, name, guards)
    elif isinstance(node, ast.Assert) and node.msg is not None:
        messages = [("AssertionError", template) for template in templates(node.msg, scope)]
        yield from _of_statement(messages, node, node.msg, name, guards)
    elif isinstance(node, ast.Call):
        for message in call_messages(node, scope):
            yield Raise(message.error_class, message.template, message.severity, name, node.lineno, guards)
    if isinstance(node, ast.Assign | ast.Call):
        for template in rewritten_messages(node, scope):
            yield Raise("", template, "error", name, node.lineno, guards, kind="rewritten")


def _of_raise(node: ast.Raise, scope: Scope, name: str, guards: tuple[str, ...]) -> Iterator[Raise]:
    messages = raised_messages(node.exc, scope)
    arguments = node.exc.args[:1] if isinstance(node.exc, ast.Call) else []
    yield from _of_statement(messages, node, arguments[0] if arguments else None, name, guards)
    if not messages and not is_reraise(node.exc, scope):
        yield Raise("", (), "error", name, node.lineno, guards)


def _of_statement(
    messages: list[Message], node: ast.stmt, text: ast.expr | None, name: str, guards: tuple[str, ...]
) -> Iterator[Raise]:
    """Yield the messages of a statement.

    If it may raise other messages too, one with an empty template follows for each class.
    """
    direct = len(messages) == 1 and (text is None or _is_written_out(text))
    for error_class, template in messages:
        yield Raise(error_class, template, "error", name, node.lineno, guards, direct)
    if not direct:
        for error_class in dict.fromkeys(error_class for error_class, _ in messages):
            yield Raise(error_class, (), "error", name, node.lineno, guards)


def _is_written_out(node: ast.expr) -> bool:
    """Return whether a text is a literal, or formats one, in the statement itself."""
    if isinstance(node, ast.BinOp):
        return _is_written_out(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _is_written_out(node.func.value)
    return isinstance(node, ast.Constant | ast.JoinedStr)


def _guard(node: ast.AST, child: ast.AST) -> str:
    """Return the condition under which a branch is taken, or "" if the child is the condition itself."""
    if isinstance(node, ast.ExceptHandler):
        return f"except {ast.unparse(node.type)}" if node.type is not None and child is not node.type else ""
    if isinstance(node, ast.If | ast.While):
        if child in node.body:
            return ast.unparse(node.test)
        if isinstance(node, ast.If) and child in node.orelse:
            return f"not ({ast.unparse(node.test)})"
    return ""
