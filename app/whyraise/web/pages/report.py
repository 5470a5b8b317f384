"""What people send when a record is wrong or missing: a Markdown block, and the draft of a record's folder.

Only the lines around the error are quoted, and nothing in them that looks like a secret or names a person.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile

from whyraise.lookup.explain import Look
from whyraise.lookup.explanation import Explanation, Finding
from whyraise.namedtuples import NamedTuple
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.reporters.markdown import code_of, fenced, line_of
from whyraise.source_paths import site_of
from whyraise.version import VERSION
from whyraise.web.pages.redact import redacted

_LINES_BEFORE, _LINES_AFTER, _LONGEST_LINE = 25, 3, 400
_LONGEST_SLUG, _LONGEST_MESSAGE = 50, 2000
_SCHEMA_VERSION = 2
_README = """# Draft of a record

Say in `record.json` what the error means (`documentation`) and how to fix it (`solutions`, `exampleFix`), put
`(.+?)` in `messagePattern` and a `{name}` in `errorMessage` where the message varies, correct `repo`, `filePath` and
`lineNumber`, and look through `match/pasted.log` for anything private. Then: `whyraise check .`
"""


class Excerpt(NamedTuple):
    """Lines around an error, redacted; `blamed` is the number of the line that names it, from 0."""

    lines: tuple[str, ...]
    blamed: int


def wrong(finding: Finding, original: str, digest: str) -> str:
    """Return a report that a finding is wrong."""
    why = "; ".join(line_of(redacted(one.text)) for one in finding.evidence)
    excerpt = _excerpt(original, finding.line - 1)
    return "\n".join(
        [
            f"**Wrong finding:** record {code_of(finding.record.id)}, {finding.confidence}: {why}.",
            "",
            "What is wrong with it: …",
            "",
            fenced("\n".join(excerpt.lines), "text"),
            "",
            f"whyraise {VERSION}, records {code_of(digest[:16])}",
        ]
    )


def missing(look: Look, found: Explanation, digest: str) -> str:
    """Return a report that no record explains a paste."""
    block = _told(found)
    name = f"{block.class_name or 'error'}: {redacted(block.message)[:300]}" if block else "no exception was read"
    return "\n".join(
        [
            f"**Missing:** {code_of(name)}",
            "",
            "Package and version, and what should be known of it: …",
            "",
            fenced("\n".join(_excerpt(look.pasted.original, _line(look, block)).lines), "text"),
            "",
            f"whyraise {VERSION}, records {code_of(digest[:16])}",
        ]
    )


def draft(look: Look, found: Explanation) -> bytes:
    """Return the draft of a record's folder as a ZIP file."""
    block = _told(found)
    excerpt = _excerpt(look.pasted.original, _line(look, block))
    record = _record(block, excerpt)
    folder = f"records/{record['repo']}/{record['slug']}"
    log = "".join(f"{'>>> ' if n == excerpt.blamed else ''}{line}\n" for n, line in enumerate(excerpt.lines))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.md", _README)
        archive.writestr(f"{folder}/record.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        archive.writestr(f"{folder}/match/pasted.log", log)
    return packed.getvalue()


def _told(found: Explanation) -> ExceptionBlock | None:
    """Return the exception to write of: the last that is no wrapper."""
    own = [block for block in found.exceptions if not block.wrapper]
    return next(reversed(own or found.exceptions), None)


def _line(look: Look, block: ExceptionBlock | None) -> int:
    """Return the number of the line that names an exception, from 0; the last line of all where there is none."""
    original = look.pasted.original
    spans = look.pasted.original_spans(*block.span) if block else ()
    return original.count("\n", 0, spans[0].start) if spans else original.rstrip().count("\n")


def _excerpt(original: str, line: int) -> Excerpt:
    lines = original.splitlines()
    first = max(0, line - _LINES_BEFORE)
    shown = redacted("\n".join(each[:_LONGEST_LINE] for each in lines[first : line + 1 + _LINES_AFTER]))
    return Excerpt(tuple(shown.split("\n")), min(line - first, shown.count("\n")))


def _record(block: ExceptionBlock | None, excerpt: Excerpt) -> dict[str, object]:
    frame = block.frames[-1] if block and block.frames else None
    message = redacted(block.message if block else excerpt.lines[excerpt.blamed].strip())[:_LONGEST_MESSAGE]
    site = redacted(site_of(frame.path)) if frame else "unknown.py"
    pattern = re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", message)
    package = re.sub(r"[^\w.-]+", "-", site.partition("/")[0].removesuffix(".py")) or "unknown"
    seed = "\0".join((package, f"{site}:{frame.function if frame else ''}", block.class_name if block else "", pattern))
    return {
        "id": hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16],
        "repo": f"OWNER/{package}",
        "slug": re.sub(r"[^a-z0-9]+", "-", message.lower()).strip("-")[:_LONGEST_SLUG].strip("-") or "error",
        "errorMessage": message,
        "messagePattern": pattern,
        "errorType": "runtime",
        "errorClass": block.class_name.rpartition(".")[2] or None if block else None,
        "severity": "error",
        "filePath": site,
        "lineNumber": (frame.line or 0) if frame else 0,
        "documentation": "",
        "solutions": [],
        "preventionTips": [],
        "tags": [],
        "schemaVersion": _SCHEMA_VERSION,
    }
