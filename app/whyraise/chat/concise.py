"""The short answer for chatbots: what a model needs to know of an error, complete in itself, as data.

Text of a paste stands under `quoted`, `exceptions` and `nearest` alone; everything else is a record's or ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from whyraise.lookup.explanation import Explanation, Finding, Nearest
from whyraise.records import verdict
from whyraise.records.language import language_of
from whyraise.records.record import Record, address, correction

# Findings that are told; whoever reads them wants the first, and the others in case it is wrong.
MOST_FINDINGS = 3
_MOST_EXCEPTIONS, _MOST_NEAREST, _MOST_IDS, _MOST_CAPTURES, _MOST_PACKAGES = 3, 3, 5, 20, 5

_PASTE_MORE = "Paste the whole traceback with its last line, or the part of the log around the first error."


class _Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, frozen=True)


class Citation(_Shape):
    """Where an answer comes from."""

    id: str
    url: str = Field(description="Permanent address of the record.")
    resource: str
    repo: str
    file: str
    line: int
    source: str | None


class Snippet(_Shape):
    """Code of a record, and whether it was run."""

    kind: Literal["fix", "typeGuard", "validation", "handling"]
    code: str
    language: str
    state: Literal["proven", "corrected", "fails", "notProven"]
    why: str = Field(description="Why the published code fails, where it does.")


class Verdict(_Shape):
    """What running the record's fix showed."""

    verdict: Literal["proven", "corrected", "broken", "notReproduced", "unproven"]
    says: str


class Known(_Shape):
    """What a record says."""

    title: str
    error_class: str | None
    origin: str
    meaning: str
    solutions: list[str]
    verdict: Verdict
    fix: Snippet | None
    guards: list[Snippet]
    strategy: str
    triggers: str
    situations: str
    prevention: list[str]
    excerpt: str = Field(description="The raising source.")
    citation: Citation


class BriefCapture(_Shape):
    """What a placeholder of the message stood for."""

    name: str
    value: str


class Quoted(_Shape):
    """What stands in the paste: untrusted data."""

    message: str
    line: int
    captures: list[BriefCapture]
    times: int
    ranks: list[int]


class BriefFinding(Known):
    """A known error that was found in the paste."""

    confidence: Literal["exact", "likely", "possible"]
    kind: Literal["fix", "cause"]
    evidence: list[str]
    quoted: Quoted
    same_as: list[str]
    equals: list[str]


class Entry(_Shape):
    """A record in short."""

    title: str
    error_class: str | None
    verdict: Verdict
    citation: Citation


class Other(Entry):
    """A further finding, for which there was no room."""

    confidence: Literal["exact", "likely", "possible"]


class Read(_Shape):
    """An exception read in the paste: untrusted data."""

    error_class: str
    message: str
    rank: int | None


class BriefNear(Entry):
    """A record that comes near, and where paste and record part."""

    matched: str
    expected: str
    found: str
    hint: Literal["case", "punctuation", "word", "ends", "other"]


class Explained(_Shape):
    """The answer to a paste. No match is an answer too."""

    matched: bool
    findings: list[BriefFinding]
    others: list[Other]
    exceptions: list[Read]
    nearest: list[BriefNear]
    advice: str
    growing: list[str]
    truncated: bool
    next: str


class Recorded(_Shape):
    """One record."""

    record: Known
    truncated: bool
    next: str


class Listed(_Shape):
    """Records that hold the words."""

    records: list[Entry]
    truncated: bool
    next: str


def explained(found: Explanation, base: str) -> Explained:
    """Return the answer to a paste; `base` is the address that permanent ones begin with, empty where there is none."""
    shown = found.findings[:MOST_FINDINGS]
    return Explained(
        matched=bool(shown),
        findings=[_finding(each, base) for each in shown],
        others=[],
        exceptions=[]
        if shown
        else [
            Read(error_class=each.class_name, message=each.message, rank=each.rank)
            for each in found.exceptions[-_MOST_EXCEPTIONS:]
        ],
        nearest=[_near(each, base) for each in found.nearest[:_MOST_NEAREST]],
        advice=found.wrapper or ("" if shown else _PASTE_MORE),
        growing=list(found.growing[:_MOST_PACKAGES]),
        truncated=bool(shown) and found.truncated,
        next="",
    )


def recorded(record: Record, base: str) -> Recorded:
    """Return one record."""
    return Recorded(record=Known(**_known(record, base)), truncated=False, next="")


def listed(records: Iterable[Record], base: str, *, more: bool) -> Listed:
    """Return records in short; `more` says that further ones hold the words."""
    return Listed(records=[Entry(**_entry(each, base)) for each in records], truncated=more, next="")


def _finding(each: Finding, base: str) -> BriefFinding:
    return BriefFinding(
        **_known(each.record, base),
        confidence=each.confidence,
        kind=each.kind,
        evidence=[one.text for one in each.evidence],
        quoted=Quoted(
            message=each.message,
            line=each.line,
            captures=[BriefCapture(name=one.name, value=one.value) for one in each.captures[:_MOST_CAPTURES]],
            times=len(each.occurrences),
            ranks=sorted({one.rank for one in each.occurrences if one.rank is not None}),
        ),
        same_as=list(each.same_as[:_MOST_IDS]),
        equals=list(each.equals[:_MOST_IDS]),
    )


def _near(each: Nearest, base: str) -> BriefNear:
    parting = each.parting
    return BriefNear(
        **_entry(each.record, base),
        matched=parting.matched,
        expected=parting.expected,
        found=parting.found,
        hint=parting.hint,
    )


def _entry(each: Record, base: str) -> dict[str, object]:
    return {
        "title": each.error_message,
        "error_class": each.error_class,
        "verdict": _verdict(each),
        "citation": _citation(each, base),
    }


def _known(each: Record, base: str) -> dict[str, object]:
    fix, *guards = (_snippet(each, field, kind) for field, kind in _SNIPPETS)
    return {
        **_entry(each, base),
        "origin": each.origin,
        "meaning": _text(each, "documentation"),
        "solutions": _texts(each, "solutions"),
        "fix": fix,
        "guards": [guard for guard in guards if guard],
        "strategy": _text(each, "handlingStrategy"),
        "triggers": _text(each, "triggerScenarios"),
        "situations": _text(each, "commonSituations"),
        "prevention": _texts(each, "preventionTips"),
        "excerpt": _text(each, "sourceCode"),
    }


_SNIPPETS: tuple[tuple[str, Literal["fix", "typeGuard", "validation", "handling"]], ...] = (
    ("exampleFix", "fix"),
    ("typeGuard", "typeGuard"),
    ("validationCode", "validation"),
    ("tryCatchPattern", "handling"),
)


def _snippet(each: Record, field: str, kind: Literal["fix", "typeGuard", "validation", "handling"]) -> Snippet | None:
    published = _text(each, field)
    if not published:
        return None
    state = verdict.state(each, field)
    corrected, why = correction(each, field) if state in ("corrected", "fails") else ("", "")
    if state == "corrected" and not corrected:
        state = "fails"
    language = language_of(each)
    code = corrected if state == "corrected" else published
    return Snippet(kind=kind, code=code, language=language, state=state, why=why)


def _verdict(each: Record) -> Verdict:
    proof = verdict.proof_of(each)
    return Verdict(verdict=proof.verdict if proof else "unproven", says=verdict.words(each))


def _citation(each: Record, base: str) -> Citation:
    source = each.fields.get("githubUrl")
    return Citation(
        id=each.id,
        url=f"{base}{address(each)}",
        resource=f"whyraise://records/{each.id}",
        repo=each.repo,
        file=each.site,
        line=each.line,
        source=source if isinstance(source, str) else None,
    )


def _text(each: Record, field: str) -> str:
    found = each.fields.get(field)
    return found.strip("\n") if isinstance(found, str) and found.strip() else ""


def _texts(each: Record, field: str) -> list[str]:
    found = each.fields.get(field)
    return [str(one) for one in found] if isinstance(found, (list, tuple)) else []
