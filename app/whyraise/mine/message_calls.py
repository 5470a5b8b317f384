"""Read the messages of calls that report something: warnings, log entries and torch's checks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whyraise.mine.imports import called_name
from whyraise.mine.message_template import Template
from whyraise.mine.scopes import Scope
from whyraise.mine.templates import templates
from whyraise.namedtuples import NamedTuple

# Names of functions that warn or log, and the severity of their messages.
_SEVERITIES = {
    "warn": "warning", "warn_explicit": "warning", "warning": "warning", "rank_zero_warn": "warning",
    "rank_zero_deprecation": "warning", "warn_once": "warning", "warning_once": "warning", "error": "error",
    "critical": "error", "exception": "error",
}  # fmt: skip
# Those of them that give a warning, which has a class; a log entry has none.
_WARNS = ("warn", "warn_explicit", "warn_once", "rank_zero_warn", "rank_zero_deprecation")
# Those of them whose other arguments are no values for the message's placeholders.
_UNFORMATTED = ("warn", "rank_zero_warn", "rank_zero_deprecation")
_LOGGERS = ("log", "logger", "logging", "warnings", "_logger", "LOG", "LOGGER", "_log", "log_once")
# torch's checks, and the class that each raises.
_CHECKS = {
    "_check": "RuntimeError",
    "_check_value": "ValueError",
    "_check_index": "IndexError",
    "_check_type": "TypeError",
}


class CallMessage(NamedTuple):
    """A message that a call gives; `error_class` is empty for a log entry."""

    error_class: str
    template: Template
    severity: str


def call_messages(call: ast.Call, scope: Scope) -> Iterator[CallMessage]:
    """Yield the messages of a call of a warning function, a logger or a torch check; nothing for other calls."""
    name, arguments = called_name(call), [node for node in call.args if not isinstance(node, ast.Starred)]
    if name in _CHECKS and len(arguments) > 1:
        text = arguments[1].body if isinstance(arguments[1], ast.Lambda) else arguments[1]
        yield from (CallMessage(_CHECKS[name], template, "error") for template in templates(text, scope))
    elif name in _SEVERITIES and arguments and _is_reporting(call.func):
        message = arguments[0]
        if name not in _UNFORMATTED and arguments[1:]:
            message = ast.BinOp(left=message, op=ast.Mod(), right=ast.Tuple(elts=arguments[1:], ctx=ast.Load()))
        category = _category(call) if name in _WARNS else ""
        yield from (CallMessage(category, template, _SEVERITIES[name]) for template in templates(message, scope))


def _is_reporting(function: ast.expr) -> bool:
    """Return whether a function is a logger's method, or has `warn` in its name."""
    if isinstance(function, ast.Attribute):
        owner = function.value
        name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
        return name in _LOGGERS
    return isinstance(function, ast.Name) and "warn" in function.id


def _category(call: ast.Call) -> str:
    """Return the class of a warning: its second argument, or `category`, or `UserWarning`."""
    given = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "category")]
    names = [node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in given]
    return next((name for name in names if name.endswith("Warning")), "UserWarning")
