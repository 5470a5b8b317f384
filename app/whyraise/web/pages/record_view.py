"""Prepares a record for the page: its prose as HTML, its code highlighted, its proof stage by stage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup

from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple
from whyraise.records import proof as proofs
from whyraise.records import verdict
from whyraise.records.fix import split_fix
from whyraise.records.language import language_of
from whyraise.records.proof import Proof
from whyraise.records.record import Record, correction
from whyraise.reporters import markdown
from whyraise.web.pages import code as snippet
from whyraise.web.pages import prose
from whyraise.web.pages.prose import truncate

_MAX_ITEMS, _MAX_STAGES = 16, 40
# Limits in bytes of HTML.
_MAX_TITLE, _MAX_TITLE_IN_LIST, _MAX_SITE, _MAX_NAME = 600, 240, 240, 100
# The words on the badge of each verdict.
BADGES = {
    "proven": "proven",
    "corrected": "corrected",
    "broken": "broken",
    "notReproduced": "not reproduced",
    "unproven": "not proven",
}


class Code(NamedTuple):
    """A snippet: `rows` is the code to use; `failed` is the published code if it failed when run, `why` the reason."""

    name: str
    heading: str
    rows: tuple[snippet.Row, ...]
    corrected: bool
    failed: tuple[snippet.Row, ...]
    why: Markup


class Entry(NamedTuple):
    """A record on the page; `badge` describes its proof in a word or two, `proof_says` in one sentence."""

    id: str
    title: str
    error_class: str
    tags: tuple[str, ...]
    site: str
    record: Record
    documentation: Markup
    triggers: Markup
    situations: Markup
    solutions: tuple[Markup, ...]
    prevention: tuple[Markup, ...]
    code: tuple[Code, ...]
    source: tuple[snippet.Row, ...]
    source_start: int
    source_url: str
    badge: str
    proof_says: str
    ran_with: str
    proof: Proof | None
    stages: tuple[proofs.Stage, ...]
    versions: tuple[str, ...]
    wordings: tuple[str, ...]


class Example(NamedTuple):
    """The two blocks of a fix: the code that fails and the fixed code."""

    failing: tuple[snippet.Row, ...]
    fixed: tuple[snippet.Row, ...]


def example(record: Record) -> Example | None:
    """Return the failing and the fixed example of a record; the corrected fix if the published one failed when run.

    None if the fix does not consist of two blocks.
    """
    proof = verdict.proof_of(record)
    failed = proof is not None and "exampleFix" in proofs.failed(proof)
    published = _text(record.fields.get("exampleFix"))
    fix = (correction(record, "exampleFix")[0] if failed else "") or published
    try:
        failing, fixed = split_fix(fix)
    except BadInput:
        return None
    language = language_of(record)
    return Example(snippet.rows(failing, language), snippet.rows(fixed, language))


def entry(record: Record) -> Entry:
    """Prepare a record for its page."""
    fields, proof = record.fields, verdict.proof_of(record)
    language = language_of(record)
    return Entry(
        id=record.id,
        title=truncate(" ".join(record.error_message.split()), _MAX_TITLE),
        error_class=truncate(record.error_class or "", _MAX_NAME),
        tags=tuple(tag for tag in record.tags if len(tag) <= _MAX_NAME)[:_MAX_ITEMS],
        site=truncate(record.site, _MAX_SITE),
        record=record,
        documentation=prose.block(fields.get("documentation")),
        triggers=prose.block(fields.get("triggerScenarios")),
        situations=prose.block(fields.get("commonSituations")),
        solutions=_items(fields.get("solutions")),
        prevention=_items(fields.get("preventionTips")),
        code=tuple(_code(record, proof, language)),
        source=snippet.rows(_text(fields.get("sourceCode")), language, snippet.MAX_SOURCE_BYTES),
        source_start=_number(fields.get("sourceCodeStart")),
        source_url=web_address(fields.get("githubUrl")),
        badge=_badge(record, proof),
        proof_says=truncate(verdict.summary(record), _MAX_TITLE),
        ran_with=_ran_with(proof),
        proof=proof,
        stages=tuple(_stages(proof)),
        versions=_texts(record.beside.get("versions")),
        wordings=tuple(_wordings(record)),
    )


class Line(NamedTuple):
    """A record in a list."""

    record: Record
    title: str
    badge: str


def line(record: Record) -> Line:
    """Prepare a record for a list."""
    title = truncate(" ".join(record.error_message.split()), _MAX_TITLE_IN_LIST)
    return Line(record, title, _badge(record, verdict.proof_of(record)))


def web_address(value: object) -> str:
    """Return a value if it is an HTTP or HTTPS URL, which is safe as the target of a link, else an empty string."""
    return value if isinstance(value, str) and re.fullmatch(r"https?://[^\s<>\"'\\]{1,2000}", value) else ""


def _badge(record: Record, proof: Proof | None) -> str:
    if proof and verdict.stale_reason(record):
        return "stale"
    if proof is None and not record.fields.get("exampleFix"):
        return "no fix"
    return BADGES[proof.verdict if proof else "unproven"]


def _code(record: Record, proof: Proof | None, language: str) -> Iterator[Code]:
    failed = proofs.failed(proof) if proof else frozenset()
    for name, heading in markdown.CODE:
        published = _text(record.fields.get(name))
        if not published.strip():
            continue
        corrected, why = correction(record, name) if name in failed else ("", "")
        format_code = snippet.difference if name == "exampleFix" else snippet.rows
        yield Code(
            name,
            heading,
            format_code(corrected or published, language) if corrected or name not in failed else (),
            bool(corrected),
            format_code(published, language) if name in failed else (),
            prose.line(why),
        )


def _stages(proof: Proof | None) -> Iterator[proofs.Stage]:
    for stage in proof.stages[:_MAX_STAGES] if proof else ():
        yield stage._replace(name=truncate(str(stage.name), 80), reason=truncate(str(stage.reason), 240))


def _ran_with(proof: Proof | None) -> str:
    """Return the versions, the sandbox and the date of a proof's run."""
    if proof is None:
        return ""
    libraries = "".join(f"{name} {version}, " for name, version in proof.versions.items())
    return truncate(f"{libraries}sandbox {proof.sandbox}, {proof.date}", _MAX_TITLE)


def _items(value: object) -> tuple[Markup, ...]:
    return tuple(prose.line(item) for item in value[:_MAX_ITEMS]) if isinstance(value, (list, tuple)) else ()


def _texts(value: object) -> tuple[str, ...]:
    return tuple(truncate(str(item), 60) for item in value[:_MAX_ITEMS]) if isinstance(value, (list, tuple)) else ()


def _wordings(record: Record) -> Iterator[str]:
    wordings = record.beside.get("wordings")
    for wording in wordings[:_MAX_ITEMS] if isinstance(wordings, list) else ():
        if isinstance(wording, dict):
            yield truncate(str(wording.get("pattern", "")), 300)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 1
