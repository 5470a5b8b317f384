"""How messages are made: an expression's templates, each a row of texts and of placeholders with their source."""

from __future__ import annotations

import ast
import string
import textwrap
from collections.abc import Iterable, Iterator
from itertools import islice, product

from whyraise.mine.caught import texts_of_caught
from whyraise.mine.imports import Definition, helper_of, lineage
from whyraise.mine.scopes import Function, Scope, attribute_values, bind, values_of
from whyraise.namedtuples import NamedTuple

# Texts are plain strings; what stands between is known by its source alone.
MOST, DEEPEST = 12, 6
_FEW_WORDS = 3
_DEDENTED = {"dedent", "cleandoc"}
_UNCHANGED = {"_", "gettext", "ngettext", "fill", "str"}
_TRIMMED = {"strip", "rstrip", "lstrip"}
# printf-style conversions, from the table in Python's library reference.
_CONVERSIONS = "diouxXeEfFgGcrsa"


class Hole(NamedTuple):
    """A placeholder: the source of the expression that fills it."""

    source: str


Template = tuple[str | Hole, ...]


def templates(node: ast.expr, scope: Scope, depth: int = 0) -> list[Template]:
    """Return the messages that an expression may give, most likely first and no more than a few."""
    found = (_joined(each) for each in _read(node, scope, depth)) if depth < DEEPEST else iter([(_hole(node),)])
    return list(dict.fromkeys(islice(found, MOST)))


def _read(node: ast.expr, scope: Scope, depth: int) -> Iterable[Template]:
    if isinstance(node, ast.Constant):
        return [(node.value,)] if isinstance(node.value, str) else [(str(node.value),)]
    if isinstance(node, ast.JoinedStr):
        parts = [_filled(value, scope, depth) for value in node.values]
        return (sum(each, ()) for each in product(*parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = templates(node.left, scope, depth + 1), templates(node.right, scope, depth + 1)
        return (left + right for left, right in product(*sides))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        texts = templates(node.left, scope, depth + 1)
        return (each for text in texts for each in _percent(text, node.right, scope, depth))
    if isinstance(node, ast.IfExp):
        return [*templates(node.body, scope, depth + 1), *templates(node.orelse, scope, depth + 1)]
    if isinstance(node, ast.BoolOp):
        return [each for value in node.values for each in templates(value, scope, depth + 1)]
    if isinstance(node, ast.Call):
        return _called(node, scope, depth)
    return _named(node, scope, depth)


def _named(node: ast.expr, scope: Scope, depth: int) -> Iterable[Template]:
    if isinstance(node, ast.Name):
        values = values_of(node.id, scope) or texts_of_caught(node.id, scope)
    elif isinstance(node, ast.Attribute):
        values = _attribute(node.attr, scope)
    elif isinstance(node, ast.Subscript):
        values = _of_table(node, scope)
    else:
        values = []
    found = islice((each for value, inner in values[:MOST] for each in templates(value, inner, depth + 1)), MOST)
    return [each for each in found if any(isinstance(part, str) for part in each)] or [(_hole(node),)]


def _attribute(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what an attribute of `self` may stand for, in its class or the first base that has it."""
    if scope.owner is None:
        return []
    line = lineage(Definition(scope.owner, scope.module))
    owners = ((each.node, each.module) for each in line if isinstance(each.node, ast.ClassDef))
    scopes = (scope._replace(owner=owner, module=module) for owner, module in owners)
    return next((found for inner in scopes if (found := attribute_values(name, inner))), [])


def _of_table(node: ast.Subscript, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return the values of a dictionary of messages."""
    if not isinstance(node.value, ast.Name):
        return []
    tables = values_of(node.value.id, scope)
    return [(value, inner) for table, inner in tables if isinstance(table, ast.Dict) for value in table.values]


def _filled(value: ast.expr, scope: Scope, depth: int) -> list[Template]:
    if not isinstance(value, ast.FormattedValue):
        return [(str(value.value),)] if isinstance(value, ast.Constant) else [(_hole(value),)]
    plain = value.conversion == -1 and value.format_spec is None
    return _followed(value.value, scope, depth) if plain else [(_hole(value.value),)]


def _followed(value: ast.expr, scope: Scope, depth: int) -> list[Template]:
    """Return the texts that a value may put into a message where they say something, and its placeholder."""
    if isinstance(value, ast.Name | ast.Attribute | ast.IfExp):
        known = templates(value, scope, depth + 2)
        if any(isinstance(part, str) and " " in part for each in known for part in each):
            return list(dict.fromkeys((*known, (_hole(value),))))
    return [(_hole(value),)]


def _called(node: ast.Call, scope: Scope, depth: int) -> Iterable[Template]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name == "format" and owner is not None:
        texts = templates(owner, scope, depth + 1)
        return (each for text in texts for each in _formatted(text, node, scope, depth))
    if name == "join" and owner is not None and node.args:
        return _collected(node.args[0], scope, depth)
    if name in _TRIMMED and owner is not None and not isinstance(owner, ast.Name):
        return (_stripped(each, name) for each in templates(owner, scope, depth + 1))
    if name in _DEDENTED and node.args:
        return (_dedented(each) for each in templates(node.args[0], scope, depth + 1))
    if name in _UNCHANGED and node.args:
        return templates(node.args[0], scope, depth + 1)
    if name == "get" and owner is not None and node.args:
        return _named(ast.Subscript(value=owner, slice=node.args[0], ctx=ast.Load()), scope, depth)
    helper = helper_of(node.func, scope)
    return (_returned(helper, node, scope, depth) if helper else []) or [(_hole(node),)]


def _stripped(template: Template, how: str) -> Template:
    """Return a template without white space at its ends; a character that is stripped by name is left."""
    parts = list(template)
    if how != "rstrip" and parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if how != "lstrip" and parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return tuple(parts)


def _dedented(template: Template) -> Template:
    """Return a template without the margin that its lines share; a placeholder counts as a character of its line."""
    holes = [part for part in template if isinstance(part, Hole)]
    text = "".join("\0" if isinstance(part, Hole) else part for part in template)
    first, *others = textwrap.dedent(text).split("\0")
    return (first, *(part for hole, other in zip(holes, others, strict=True) for part in (hole, other)))


def _returned(helper: Definition, call: ast.Call, scope: Scope, depth: int) -> list[Template]:
    """Return what a helper of the same package returns as text, its parameters being what the call gives them."""
    found = [
        each
        for value, inner in islice(returned_values(helper, call, scope), MOST)
        for each in templates(value, inner, depth + 1)
    ]
    told = [each for each in found if any(isinstance(part, str) for part in each)]
    return told if len(told) in (0, len(found)) else [*told, (_hole(call),)]


def returned_values(helper: Definition, call: ast.Call, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """Yield what a helper returns, each with the scope to read it in."""
    function = helper.node
    if isinstance(function, Function):
        inner = Scope(helper.module, None, function, bind(call, function, scope))
        returned = (node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value)
        yield from ((value, inner) for value in returned)


def _collected(node: ast.expr, scope: Scope, depth: int) -> list[Template]:
    """Return the texts that a list of messages may hold, each alone: which ones come together is not known."""
    elements = list(node.elts) if isinstance(node, ast.List | ast.Tuple) else []
    if isinstance(node, ast.Name):
        for value, _ in values_of(node.id, scope):
            elements += value.elts if isinstance(value, ast.List | ast.Tuple) else []
        elements += _appended(node.id, scope)
    around = Hole(ast.unparse(node))
    found = [each for element in elements for each in templates(element, scope, depth + 1)]
    return [(around, *each, around) for each in found if any(isinstance(part, str) for part in each)] or [(around,)]


def _appended(name: str, scope: Scope) -> Iterator[ast.expr]:
    for node in ast.walk(scope.function) if scope.function else ():
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        if is_call and isinstance(node.func.value, ast.Name) and node.func.value.id == name:  # type: ignore[attr-defined]
            yield from node.args  # type: ignore[attr-defined]


def _percent(template: Template, values: ast.expr, scope: Scope, depth: int) -> Iterator[Template]:
    given = iter(values.elts if isinstance(values, ast.Tuple) else [values])
    parts: list[str | Hole | ast.expr] = []
    for part in template:
        parts += _conversions(part, values, given) if isinstance(part, str) else [part]
    return _together(parts, scope, depth)


def _together(parts: Iterable[str | Hole | ast.expr], scope: Scope, depth: int) -> Iterator[Template]:
    """Yield the messages of a row of texts and of placeholders; those that are expressions may be followed."""
    rows = [_followed(part, scope, depth) if isinstance(part, ast.expr) else [(part,)] for part in parts]
    return (sum(each, ()) for each in product(*rows))


def _conversions(text: str, values: ast.expr, given: Iterator[ast.expr]) -> Iterator[str | Hole | ast.expr]:
    """Yield the texts between conversions, and for each conversion its value: as it is where it prints itself."""
    at = 0
    while (start := text.find("%", at)) >= 0:
        yield text[at:start]
        end = start + 1
        closed = text.find(")", end) if text.startswith("(", end) else -1
        key = text[end + 1 : closed] if closed > 0 else ""
        end = closed + 1 if key else end
        while end < len(text) and text[end] not in _CONVERSIONS + "%":
            end += 1
        at = end + 1
        if end >= len(text):
            yield text[start:]
        elif text[end] == "%":
            yield "%"
        else:
            for _ in range(text.count("*", start, end)):  # a width that is given among the values
                next(given, None)
            following = values if key else next(given, values)
            yield following if text[start:at] == "%s" else Hole(key or ast.unparse(following))
    yield text[at:]


def _formatted(template: Template, call: ast.Call, scope: Scope, depth: int) -> Iterator[Template]:
    parts: list[str | Hole | ast.expr] = []
    for part in template:
        try:
            fields = list(string.Formatter().parse(part)) if isinstance(part, str) else []
        except ValueError:
            fields = []
        if not fields:
            parts.append(part)
        for number, (text, field, _, _) in enumerate(fields):
            parts.append(text)
            if field is not None:
                parts.append(_argument(field, number, call))
    return _together(parts, scope, depth)


def _argument(field: str, number: int, call: ast.Call) -> Hole | ast.expr:
    head = field.split(".")[0].split("[")[0]
    rest = field[len(head) :]
    place = int(head) if head.isdigit() else number if not head else -1
    named = next((each.value for each in call.keywords if each.arg == head), None)
    given = call.args[place] if 0 <= place < len(call.args) else named
    if given is None or isinstance(given, ast.Starred):
        return Hole(head + rest if given is None else ast.unparse(given) + rest)
    return Hole(ast.unparse(given) + rest) if rest else given


def _hole(node: ast.expr) -> Hole:
    return Hole(ast.unparse(node.value if isinstance(node, ast.FormattedValue) else node))


def _joined(template: Template) -> Template:
    """Return a template with neighbouring texts made one and empty ones left out."""
    parts: list[str | Hole] = []
    for part in template:
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part:
            parts.append(part)
    return tuple(parts)


def is_literal(template: Template) -> bool:
    """Say whether a template has text of its own."""
    return any(isinstance(part, str) and part.strip() for part in template)


def has_words(template: Template) -> bool:
    """Say whether a template has a few words of its own, and so is no name or number."""
    return len(" ".join(part for part in template if isinstance(part, str)).split()) > _FEW_WORDS


def holes(template: Template) -> list[str]:
    """Return the sources of a template's placeholders."""
    return [part.source for part in template if isinstance(part, Hole)]
