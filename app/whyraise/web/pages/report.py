"""Writes what people send if a record is wrong or missing: a Markdown report, and the draft of a record's folder.

Both quote only the lines around the error, and hide what looks like a secret or personal data.
"""

from __future__ import annotations

import io
import json
import re
import zipfile

from whyraise.ask.redact import redact
from whyraise.lookup.explain import Analysis
from whyraise.lookup.explanation import Explanation, Finding
from whyraise.namedtuples import NamedTuple
from whyraise.names import bare_name, record_id
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reporters.markdown import code_of, fenced, line_of
from whyraise.source_paths import site_of
from whyraise.version import VERSION

_LINES_BEFORE, _LINES_AFTER, _MAX_LINE = 25, 3, 400
_MAX_SLUG, _MAX_MESSAGE = 50, 2000
_SCHEMA_VERSION = 2
_README = """# Draft of a record

Edit `record.json`: describe what the error means (`documentation`) and how to fix it (`solutions`, `exampleFix`).
Replace the variable parts of the message with `(.+?)` in `messagePattern` and with `{name}` in `errorMessage`. Correct
`repo`, `filePath` and `lineNumber`. Remove private data from `match/pasted.log`. Then run `whyraise check .`
"""


class Excerpt(NamedTuple):
    """The redacted lines around an error; `error_index` is the 0-based index of the line that names it."""

    lines: tuple[str, ...]
    error_index: int


def wrong_finding(finding: Finding, original: str, digest: str) -> str:
    """Return a report that a finding is wrong."""
    reasons = "; ".join(line_of(redact(evidence.text)) for evidence in finding.evidence)
    excerpt = _excerpt(original, finding.line - 1)
    return "\n".join(
        [
            f"**Wrong finding:** record {code_of(finding.record.id)}, {finding.confidence}: {reasons}.",
            "",
            "What is wrong with it: …",
            "",
            fenced("\n".join(excerpt.lines), "text"),
            "",
            f"whyraise {VERSION}, records {code_of(digest[:16])}",
        ]
    )


def missing_record(look: Analysis, answer: Explanation, digest: str) -> str:
    """Return a report that no record explains a paste."""
    block = _exception_to_report(answer)
    name = f"{block.class_name or 'error'}: {redact(block.message)[:300]}" if block else "no exception was read"
    return "\n".join(
        [
            f"**Missing:** {code_of(name)}",
            "",
            "Package and version, and what the record should say: …",
            "",
            fenced("\n".join(_excerpt(look.pasted.original, _line_index(look, block)).lines), "text"),
            "",
            f"whyraise {VERSION}, records {code_of(digest[:16])}",
        ]
    )


def draft_record(look: Analysis, answer: Explanation) -> bytes:
    """Return the draft of a record's folder as a ZIP file."""
    block = _exception_to_report(answer)
    excerpt = _excerpt(look.pasted.original, _line_index(look, block))
    record = _record(block, excerpt)
    folder = f"records/{record['repo']}/{record['slug']}"
    log = "".join(f"{'>>> ' if n == excerpt.error_index else ''}{line}\n" for n, line in enumerate(excerpt.lines))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.md", _README)
        archive.writestr(f"{folder}/record.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        archive.writestr(f"{folder}/match/pasted.log", log)
    return buffer.getvalue()


def _exception_to_report(answer: Explanation) -> ExceptionBlock | None:
    """Return the last exception that is not a wrapper, else the last wrapper, or None if the paste has no exception."""
    causes = [block for block in answer.exceptions if not block.wrapper]
    return next(reversed(causes or answer.exceptions), None)


def _line_index(look: Analysis, block: ExceptionBlock | None) -> int:
    """Return the 0-based index of the line that names an exception, or of the last line if there is no exception."""
    original = look.pasted.original
    spans = look.pasted.original_spans(*block.span) if block else ()
    return original.count("\n", 0, spans[0].start) if spans else original.rstrip().count("\n")


def _excerpt(original: str, line: int) -> Excerpt:
    lines = original.splitlines()
    first = max(0, line - _LINES_BEFORE)
    excerpt = redact("\n".join(text[:_MAX_LINE] for text in lines[first : line + 1 + _LINES_AFTER]))
    return Excerpt(tuple(excerpt.split("\n")), min(line - first, excerpt.count("\n")))


def _record(block: ExceptionBlock | None, excerpt: Excerpt) -> dict[str, object]:
    frame = block.frames[-1] if block and block.frames else None
    message = redact(block.message if block else excerpt.lines[excerpt.error_index].strip())[:_MAX_MESSAGE]
    site = redact(site_of(frame.path)) if frame else "unknown.py"
    pattern = re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", message)
    package = re.sub(r"[^\w.-]+", "-", site.partition("/")[0].removesuffix(".py")) or "unknown"
    function, class_name = frame.function if frame else "", block.class_name if block else ""
    return {
        "id": record_id(package, site, function, class_name, pattern),
        "repo": f"OWNER/{package}",
        "slug": re.sub(r"[^a-z0-9]+", "-", message.lower()).strip("-")[:_MAX_SLUG].strip("-") or "error",
        "errorMessage": message,
        "messagePattern": pattern,
        "errorType": "runtime",
        "errorClass": bare_name(class_name) or None,
        "severity": "error",
        "filePath": site,
        "lineNumber": (frame.line or 0) if frame else 0,
        "documentation": "",
        "solutions": [],
        "preventionTips": [],
        "tags": [],
        "schemaVersion": _SCHEMA_VERSION,
    }
