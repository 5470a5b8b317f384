"""Small records for tests: schema version 2 in full, with the few fields that a test is about."""

import hashlib
import re


def record(template: str, pattern: str | None = None, **fields: object) -> dict[str, object]:
    """Return a record whose pattern, unless given, stands for the template with its braces as placeholders."""
    if pattern is None:
        pattern = re.sub(r"\\\{.+?\\\}", "(.+?)", re.escape(template))
    known: dict[str, object] = {
        "id": hashlib.sha256(f"{template}{pattern}{sorted(fields.items())}".encode()).hexdigest()[:16],
        "repo": "example/thing",
        "slug": "-".join(re.findall(r"[a-z0-9]+", template.lower()))[:50] or "record",
        "errorCode": None,
        "errorMessage": template,
        "messagePattern": pattern,
        "errorType": "validation",
        "errorClass": "ValueError",
        "httpStatus": None,
        "severity": "error",
        "filePath": "src/thing/core.py",
        "lineNumber": 10,
        "solutions": [],
        "preventionTips": [],
        "tags": [],
        "analyzedAt": "2026-01-01T00:00:00.000Z",
        "schemaVersion": 2,
    }
    return {**known, **fields}
