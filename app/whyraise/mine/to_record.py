"""A mined message as a record of schema version 2: only facts of the source, and nothing that sounds like advice."""

from __future__ import annotations

import ast
import hashlib
import re
from typing import Any

from whyraise.mine.raises import Raise
from whyraise.mine.scopes import Module
from whyraise.mine.targets import Origin
from whyraise.mine.templates import Hole, Template, holes, is_literal

# Lines of source that are quoted around a raise.
_BEFORE, _AFTER = 4, 4
_LONGEST_SLUG = 50
_LONGEST = 4000
_VERSION = 2


def record(raised: Raise, module: Module, origin: Origin, *, excerpts: bool = True) -> dict[str, Any] | None:
    """Return the envelope of a record, or nothing where the message cannot be told from any other."""
    pattern, message = _pattern(raised.template), _message(raised.template)
    if len(pattern) > _LONGEST or not (is_literal(raised.template) or raised.error_class or raised.function):
        return None
    seed = "\0".join((origin.repo, f"{module.site}:{raised.function}", raised.error_class, pattern))
    known = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]
    first, last = max(1, raised.line - _BEFORE), min(len(module.lines), raised.line + _AFTER)
    fields = {
        "id": known,
        "repo": origin.repo,
        "slug": _slug(message, raised),
        "errorCode": None,
        "errorMessage": message,
        "messagePattern": pattern,
        "errorType": raised.severity if raised.severity == "warning" else "runtime",
        "errorClass": raised.error_class or None,
        "httpStatus": None,
        "severity": raised.severity,
        "filePath": module.site,
        "lineNumber": raised.line,
        "sourceCode": "\n".join(module.lines[first - 1 : last]) if excerpts else None,
        "sourceCodeStart": first if excerpts else None,
        "sourceCodeEnd": last if excerpts else None,
        "githubUrl": _url(module, raised, origin),
        "documentation": _documentation(raised, module),
        "triggerScenarios": "; and ".join(raised.guards) or None,
        "commonSituations": None,
        "solutions": [],
        "exampleFix": None,
        "handlingStrategy": None,
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": ["mined", raised.severity],
        "backgroundTag": None,
        "analyzedSha": origin.commit or None,
        "analyzedAt": None,
        "schemaVersion": _VERSION,
    }
    kind = raised.kind if is_literal(raised.template) else "site"
    site = {"function": raised.function, "kind": kind, "made": "raise" if raised.direct else "deep"}
    beside = {"versions": [origin.version] if origin.version else [], "licence": origin.licence}
    return {"record": fields, "datasetVersion": origin.version, "origin": "mined", "site": site, **beside}


def _pattern(template: Template) -> str:
    return "".join(re.escape(part) if isinstance(part, str) else "(.*?)" for part in template) or "(.*)"


def _message(template: Template) -> str:
    parts = (part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else _named(part) for part in template)
    return "".join(parts) or "{message}"


def _named(hole: Hole) -> str:
    """Return a placeholder; braces, quotes and colons in its source would end it early."""
    source = re.sub(r"[{}:!=]", " ", " ".join(hole.source.split()))[:60].strip()
    return f"{{{source or 'value'}}}"


def _slug(message: str, raised: Raise) -> str:
    words = "-".join(re.findall(r"[a-z0-9]+", message.lower())) or raised.error_class.lower() or "message"
    return words[:_LONGEST_SLUG].strip("-") or "message"


def _url(module: Module, raised: Raise, origin: Origin) -> str | None:
    if not origin.commit or "/" not in origin.repo:
        return None
    return f"https://github.com/{origin.repo}/blob/{origin.commit}/{module.site}#L{raised.line}"


def _documentation(raised: Raise, module: Module) -> str:
    """Return what the source says of a message: which function, when, and what stands in the placeholders."""
    if not module.source and not raised.line:
        return f"Derived from the texts of the compiled module `{module.site}`. Which function says it is not known."
    function = module.functions.get(raised.function.rpartition(".")[2])
    where = f"`{raised.function}`" if raised.function else "the top level"
    said = [f"Derived from source: {raised.severity} of {where} in `{module.site}`, line {raised.line}."]
    if function is not None:
        said.append(f"Its signature: `{function.name}({ast.unparse(function.args)})`."[:400])
        if summary := (ast.get_docstring(function) or "").strip().partition("\n")[0]:
            said.append(f"Its summary: {summary[:200]}")
    if raised.guards:
        said.append(f"It is reached where: {'; and '.join(f'`{guard[:200]}`' for guard in raised.guards)}.")
    if names := list(dict.fromkeys(holes(raised.template))):
        said.append(f"Its placeholders are: {', '.join(f'`{name[:80]}`' for name in names)}.")
    return "\n\n".join(said)
