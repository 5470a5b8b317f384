"""Turn a mined message into a record of schema version 2, with facts of the source only and no advice."""

from __future__ import annotations

import ast
import re
from typing import Any

from whyraise.mine.message_template import Placeholder, Template, has_text, placeholder_sources
from whyraise.mine.raises import Raise
from whyraise.mine.scopes import Module
from whyraise.mine.targets import Origin
from whyraise.names import bare_name, record_id

# Lines of source that are quoted before and after a raise.
_LINES_BEFORE, _LINES_AFTER = 4, 4
_MAX_SLUG, _MAX_PATTERN = 50, 4000
_MAX_SIGNATURE, _MAX_SUMMARY, _MAX_GUARD, _MAX_NAME = 400, 200, 200, 80
_SCHEMA_VERSION = 2


def record(raised: Raise, module: Module, origin: Origin, *, excerpts: bool = True) -> dict[str, Any] | None:
    """Return a record in its envelope, or None if the message could not be distinguished from others.

    Without `excerpts`, the record quotes no source.
    """
    pattern, message = _pattern(raised.template), _message(raised.template)
    if len(pattern) > _MAX_PATTERN or not (has_text(raised.template) or raised.error_class or raised.function):
        return None
    fields = {
        "id": record_id(origin.repo, module.site, raised.function, raised.error_class, pattern),
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
        **_excerpt(raised, module, excerpts),
        "githubUrl": _url(module, raised, origin),
        "documentation": _documentation(raised, module),
        "triggerScenarios": "; and ".join(raised.guards) or None,
        **_no_advice(),
        "tags": ["mined", raised.severity],
        "backgroundTag": None,
        "analyzedSha": origin.commit or None,
        "analyzedAt": None,
        "schemaVersion": _SCHEMA_VERSION,
    }
    return {"record": fields, "datasetVersion": origin.version, "origin": "mined", **_provenance(raised, origin)}


def _excerpt(raised: Raise, module: Module, excerpts: bool) -> dict[str, Any]:
    if not excerpts:
        return {"sourceCode": None, "sourceCodeStart": None, "sourceCodeEnd": None}
    first, last = max(1, raised.line - _LINES_BEFORE), min(len(module.lines), raised.line + _LINES_AFTER)
    return {
        "sourceCode": "\n".join(module.lines[first - 1 : last]),
        "sourceCodeStart": first,
        "sourceCodeEnd": last,
    }


def _no_advice() -> dict[str, Any]:
    """Return the fields of advice, empty: source gives none."""
    return {
        "commonSituations": None,
        "solutions": [],
        "exampleFix": None,
        "handlingStrategy": None,
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
    }


def _provenance(raised: Raise, origin: Origin) -> dict[str, Any]:
    """Return the fields of the envelope about the raise site, and versions and licence of the package."""
    kind = raised.kind if has_text(raised.template) else "site"
    return {
        "site": {"function": raised.function, "kind": kind, "made": "raise" if raised.direct else "deep"},
        "versions": [origin.version] if origin.version else [],
        "licence": origin.licence,
    }


def _pattern(template: Template) -> str:
    return "".join(re.escape(part) if isinstance(part, str) else "(.*?)" for part in template) or "(.*)"


def _message(template: Template) -> str:
    parts = (
        part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else _in_braces(part) for part in template
    )
    return "".join(parts) or "{message}"


def _in_braces(placeholder: Placeholder) -> str:
    """Return the source of a placeholder in braces, without the characters that would end the placeholder early."""
    source = re.sub(r"[{}:!=]", " ", " ".join(placeholder.source.split()))[:60].strip()
    return f"{{{source or 'value'}}}"


def _slug(message: str, raised: Raise) -> str:
    words = "-".join(re.findall(r"[a-z0-9]+", message.lower())) or raised.error_class.lower() or "message"
    return words[:_MAX_SLUG].strip("-") or "message"


def _url(module: Module, raised: Raise, origin: Origin) -> str | None:
    if not origin.commit or "/" not in origin.repo:
        return None
    return f"https://github.com/{origin.repo}/blob/{origin.commit}/{module.site}#L{raised.line}"


def _documentation(raised: Raise, module: Module) -> str:
    """Return the facts about a message in the source: its function, its conditions, and its placeholders."""
    if not module.source and not raised.line:
        return f"Derived from the texts of the compiled module `{module.site}`. The function is unknown."
    function = module.functions.get(bare_name(raised.function))
    sentences = [_summary(raised, module)]
    if function is not None:
        sentences.append(f"Signature: `{function.name}({ast.unparse(function.args)})`."[:_MAX_SIGNATURE])
        if docstring := (ast.get_docstring(function) or "").strip().partition("\n")[0]:
            sentences.append(f"Summary: {docstring[:_MAX_SUMMARY]}")
    if names := list(dict.fromkeys(placeholder_sources(raised.template))):
        sentences.append(f"Placeholders: {', '.join(f'`{name[:_MAX_NAME]}`' for name in names)}.")
    return "\n\n".join(sentences)


def _summary(raised: Raise, module: Module) -> str:
    """Return a sentence with the function that gives a message, the conditions, the file and the line."""
    function = f"`{raised.function}`" if raised.function else "The top level of the module"
    conditions = f" when {' and '.join(map(_condition, raised.guards))}" if raised.guards else ""
    return f"{function} {_verb(raised)}{conditions} (derived from source: `{module.site}`, line {raised.line})."


def _verb(raised: Raise) -> str:
    if raised.kind == "fragment":
        return "may give this message"
    if raised.kind == "rewritten":
        return "writes this into an exception"
    if raised.severity == "warning":
        return "gives this warning"
    return "raises this" if raised.error_class or not raised.template else "gives this error"


def _condition(guard: str) -> str:
    error_class = guard.removeprefix("except ")
    if error_class != guard:
        return f"`{error_class[:_MAX_GUARD]}` is caught"
    return f"`{guard[:_MAX_GUARD]}`"
