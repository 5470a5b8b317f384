"""Read the templates of the messages that an expression may give."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice, product

from whyraise.mine.caught import caught_messages
from whyraise.mine.format_strings import Part, format_parts, percent_parts
from whyraise.mine.imports import Definition, called_function, called_name, class_and_bases
from whyraise.mine.message_template import (
    Placeholder,
    Template,
    dedent_template,
    has_literal,
    merge_texts,
    placeholder_of,
    strip_template,
)
from whyraise.mine.scopes import Function, Scope, attribute_values, bind, values_of

# The maximum number of templates of one expression, and of expressions inside each other that are followed.
_MAX_TEMPLATES, _MAX_DEPTH = 12, 6
_DEDENT = {"dedent", "cleandoc"}
_UNCHANGED = {"_", "gettext", "ngettext", "fill", "str"}
_STRIP = {"strip", "rstrip", "lstrip"}


def templates(node: ast.expr, scope: Scope, depth: int = 0) -> list[Template]:
    """Return the templates of the messages that an expression may give, at most 12, the most likely first."""
    found = (
        (merge_texts(template) for template in _read(node, scope, depth))
        if depth < _MAX_DEPTH
        else iter([(placeholder_of(node),)])
    )
    return list(dict.fromkeys(islice(found, _MAX_TEMPLATES)))


def returned_values(helper: Definition, call: ast.Call, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """Yield the expressions that a helper returns for a call, each with the scope to read it in."""
    function = helper.node
    if isinstance(function, Function):
        inner = Scope(helper.module, None, function, bind(call, function, scope))
        returned = (node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value)
        yield from ((value, inner) for value in returned)


def _read(node: ast.expr, scope: Scope, depth: int) -> Iterable[Template]:
    if isinstance(node, ast.Constant):
        return [(node.value,)] if isinstance(node.value, str) else [(str(node.value),)]
    if isinstance(node, ast.JoinedStr):
        parts = [_of_f_string_part(value, scope, depth) for value in node.values]
        return (sum(combination, ()) for combination in product(*parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = templates(node.left, scope, depth + 1), templates(node.right, scope, depth + 1)
        return (left + right for left, right in product(*sides))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        texts, values = templates(node.left, scope, depth + 1), node.right
        return (filled for text in texts for filled in _combine(percent_parts(text, values), scope, depth))
    if isinstance(node, ast.IfExp):
        return [*templates(node.body, scope, depth + 1), *templates(node.orelse, scope, depth + 1)]
    if isinstance(node, ast.BoolOp):
        return [template for value in node.values for template in templates(value, scope, depth + 1)]
    if isinstance(node, ast.Call):
        return _of_call(node, scope, depth)
    return _of_name(node, scope, depth)


def _of_name(node: ast.expr, scope: Scope, depth: int) -> Iterable[Template]:
    """Return the templates of the values of a name, attribute or subscript, or its placeholder if none has text."""
    if isinstance(node, ast.Name):
        values = values_of(node.id, scope) or caught_messages(node.id, scope)
    elif isinstance(node, ast.Attribute):
        values = _own_attribute(node.attr, scope)
    elif isinstance(node, ast.Subscript):
        values = _table_values(node, scope)
    else:
        values = []
    read = (template for value, inner in values[:_MAX_TEMPLATES] for template in templates(value, inner, depth + 1))
    found = islice(read, _MAX_TEMPLATES)
    return [template for template in found if has_literal(template)] or [(placeholder_of(node),)]


def _own_attribute(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what an attribute of `self` may stand for, in its class or the first base that has it."""
    if scope.owner is None:
        return []
    classes = class_and_bases(Definition(scope.owner, scope.module))
    owners = ((defined.node, defined.module) for defined in classes if isinstance(defined.node, ast.ClassDef))
    scopes = (scope._replace(owner=owner, module=module) for owner, module in owners)
    return next((found for inner in scopes if (found := attribute_values(name, inner))), [])


def _table_values(node: ast.Subscript, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return the values of a dictionary of messages."""
    if not isinstance(node.value, ast.Name):
        return []
    tables = values_of(node.value.id, scope)
    return [(value, inner) for table, inner in tables if isinstance(table, ast.Dict) for value in table.values]


def _of_f_string_part(value: ast.expr, scope: Scope, depth: int) -> list[Template]:
    if not isinstance(value, ast.FormattedValue):
        return [(str(value.value),)] if isinstance(value, ast.Constant) else [(placeholder_of(value),)]
    is_plain = value.conversion == -1 and value.format_spec is None
    return _of_value(value.value, scope, depth) if is_plain else [(placeholder_of(value.value),)]


def _of_value(value: ast.expr, scope: Scope, depth: int) -> list[Template]:
    """Return the placeholder of a value, after the texts that it may stand for if one of them has several words."""
    if isinstance(value, ast.Name | ast.Attribute | ast.IfExp):
        known = templates(value, scope, depth + 2)
        if any(isinstance(part, str) and " " in part for template in known for part in template):
            return list(dict.fromkeys((*known, (placeholder_of(value),))))
    return [(placeholder_of(value),)]


def _combine(parts: Iterable[Part], scope: Scope, depth: int) -> Iterator[Template]:
    """Yield the templates of a sequence of parts, one for each combination of what its expressions stand for."""
    choices = [_of_value(part, scope, depth) if isinstance(part, ast.expr) else [(part,)] for part in parts]
    return (sum(combination, ()) for combination in product(*choices))


def _of_call(node: ast.Call, scope: Scope, depth: int) -> Iterable[Template]:
    name = called_name(node)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name == "format" and owner is not None:
        texts = templates(owner, scope, depth + 1)
        return (filled for text in texts for filled in _combine(format_parts(text, node), scope, depth))
    if name == "join" and owner is not None and node.args:
        return _of_list(node.args[0], scope, depth)
    if name in _STRIP and owner is not None and not isinstance(owner, ast.Name):
        return (strip_template(template, name) for template in templates(owner, scope, depth + 1))
    if name in _DEDENT and node.args:
        return (dedent_template(template) for template in templates(node.args[0], scope, depth + 1))
    if name in _UNCHANGED and node.args:
        return templates(node.args[0], scope, depth + 1)
    if name == "get" and owner is not None and node.args:
        return _of_name(ast.Subscript(value=owner, slice=node.args[0], ctx=ast.Load()), scope, depth)
    helper = called_function(node.func, scope)
    return (_of_helper(helper, node, scope, depth) if helper else []) or [(placeholder_of(node),)]


def _of_helper(helper: Definition, call: ast.Call, scope: Scope, depth: int) -> list[Template]:
    """Return the texts that a helper of the same package returns, with the call's arguments as its parameters."""
    found = [
        template
        for value, inner in islice(returned_values(helper, call, scope), _MAX_TEMPLATES)
        for template in templates(value, inner, depth + 1)
    ]
    known = [template for template in found if has_literal(template)]
    return known if len(known) in (0, len(found)) else [*known, (placeholder_of(call),)]


def _of_list(node: ast.expr, scope: Scope, depth: int) -> list[Template]:
    """Return the messages of a list that is joined, each alone: which of them occur together is unknown."""
    elements = list(node.elts) if isinstance(node, ast.List | ast.Tuple) else []
    if isinstance(node, ast.Name):
        for value, _ in values_of(node.id, scope):
            elements += value.elts if isinstance(value, ast.List | ast.Tuple) else []
        elements += _appended(node.id, scope)
    others = Placeholder(ast.unparse(node))
    found = [template for element in elements for template in templates(element, scope, depth + 1)]
    return [(others, *template, others) for template in found if has_literal(template)] or [(others,)]


def _appended(name: str, scope: Scope) -> Iterator[ast.expr]:
    for node in ast.walk(scope.function) if scope.function else ():
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        if is_call and isinstance(node.func.value, ast.Name) and node.func.value.id == name:  # type: ignore[attr-defined]
            yield from node.args  # type: ignore[attr-defined]
