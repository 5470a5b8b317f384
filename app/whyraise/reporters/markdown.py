"""Formats an answer as Markdown, for people and chatbots.

Text of a paste is quoted only inside fences and code spans, which are always longer than the backticks in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whyraise.lookup.explanation import Explanation, Finding, ranks_of
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.records import proof as proofs
from whyraise.records import verdict
from whyraise.records.language import language_of
from whyraise.records.record import Record, address, correction

if TYPE_CHECKING:
    from whyraise.lookup.diagnosis import Diagnosis
    from whyraise.lookup.explanation import Nearest
    from whyraise.matching.mismatch import Mismatch

HINTS = {
    "case": "It would match with the record's upper and lower case.",
    "punctuation": "It would match with the record's punctuation.",
    "word": "One word differs; the record may describe another version.",
    "ends": "The paste ends there; paste the rest of the message.",
    "other": "After that point, the two have no words in common.",
}
# The fields of a record that contain code, with their headings.
CODE = (
    ("exampleFix", "Fix"),
    ("typeGuard", "Type guard"),
    ("validationCode", "Validation"),
    ("tryCatchPattern", "Handling"),
)


def explanation(explanation: Explanation) -> str:
    """Return an explanation as Markdown."""
    if not (explanation.growing or explanation.muted or explanation.server):
        return _explanation(explanation)
    from whyraise.reporters.notes import notes  # noqa: PLC0415  # most answers have none

    return _explanation(explanation) + "".join(f"\n{note}\n" for note in notes(explanation))


def _explanation(explanation: Explanation) -> str:
    if explanation.findings:
        parts = ["\n".join(_finding(finding)) for finding in explanation.findings]
        if explanation.wrapper:
            parts.append(f"{explanation.wrapper}\n")
        if explanation.truncated:
            parts.append("More findings exist; ask for a higher limit.\n")
        return "\n---\n\n".join(parts)
    return "\n".join(_nothing_known(explanation))


def record(record: Record) -> str:
    """Return a record as Markdown."""
    return "\n".join([f"# {line_of(record.error_message)}", "", *_knowledge(record)])


def diagnosis(diagnosis: Diagnosis) -> str:
    """Return a diagnosis as Markdown."""
    title = f"# Does the text match `{diagnosis.record.id}`?\n\n"
    if diagnosis.matches:
        return title + "Yes: the text contains the whole message.\n"
    if diagnosis.reason:
        return title + f"It cannot: {diagnosis.reason}.\n"
    if diagnosis.parting is None:
        return title + "No. The record's message has no words that can be compared with the text.\n"
    return title + "No. " + _mismatch(diagnosis.parting)


def fenced(text: str, language: str = "") -> str:
    """Return a text in a fence that is longer than any run of backticks in the text, so the text cannot close it."""
    ticks = max((len(run) for run in re.findall("`{3,}", text)), default=2) + 1
    fence = "`" * ticks
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def line_of(text: str) -> str:
    """Return a text as one line, escaped so that Markdown shows it as plain text."""
    line = re.sub(r"([\\<>\[\]*#|])", r"\\\1", " ".join(text.split()))
    return re.sub(r"^([`~+=_-]|\d+(?=[.)]))", _escape_start, line)


def _escape_start(start: re.Match[str]) -> str:
    """Escape the start of a line so that it does not open a fence, a list or a rule."""
    return f"{start[0]}\\" if start[0].isdigit() else f"\\{start[0]}"


def code_of(text: str) -> str:
    """Return a text as a code span; the text may contain backticks."""
    text = " ".join(text.split())
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _finding(finding: Finding) -> Iterator[str]:
    evidence = "; ".join(line_of(evidence.text) for evidence in finding.evidence)
    yield f"# {line_of(finding.record.error_message)}"
    yield ""
    yield f"**{finding.confidence}**, line {finding.line}: {evidence}."
    yield ""
    yield fenced(finding.message, "text")
    yield ""
    for capture in finding.captures:
        yield f"- {code_of(capture.name)} = {code_of(capture.value)}"
    ranks = ranks_of(finding)
    if len(finding.occurrences) > 1 or ranks:
        on_ranks = f" on ranks {', '.join(map(str, ranks))}" if ranks else ""
        yield f"- reported {len(finding.occurrences)} times{on_ranks}"
    if finding.own_source:
        yield f"- from your own records: {code_of(finding.own_source)}"
    if finding.equals:
        others = ", ".join(code_of(record_id) for record_id in finding.equals)
        yield f"- these records fit equally well: {others}; paste the whole traceback to tell them apart"
    yield ""
    yield from _knowledge(finding.record)


def _knowledge(record: Record) -> Iterator[str]:
    fields = record.fields
    yield from _section("What it means", fields.get("documentation"))
    yield from _section("When it happens", fields.get("triggerScenarios"))
    yield from _list("Solutions", fields.get("solutions"))
    proof = verdict.proof_of(record)
    yield verdict.summary(record)
    yield ""
    for name, heading in CODE:
        yield from _code(record, name, heading, failed=proof is not None and name in proofs.failed(proof))
    yield from _list("Prevention", fields.get("preventionTips"))
    yield citation(record)


def _code(record: Record, name: str, heading: str, *, failed: bool) -> Iterator[str]:
    """Yield a snippet; if it failed when it was run, its correction comes first, and then the reason."""
    published = record.fields.get(name)
    if not isinstance(published, str) or not published.strip():
        return
    language = language_of(record)
    corrected, why = correction(record, name) if failed else ("", "")
    if corrected:
        yield from (f"## {heading}, corrected", "", fenced(corrected, language), "")
    yield from (f"## {heading}, as published: fails when run" if failed else f"## {heading}", "")
    if why:
        yield from (line_of(why), "")
    yield from (fenced(published, language), "")


def citation(record: Record) -> str:
    """Return the line that cites a record: its id, its permanent address, and the source code that raises the error."""
    place = f"{record.repo}, {record.site} line {record.line}"
    url = record.fields.get("githubUrl")
    source = f" <{url}>" if isinstance(url, str) and re.fullmatch(r"https?://[^\s<>]+", url) else ""
    return f"Record {code_of(record.id)} ({record.origin}), {code_of(address(record))}, {line_of(place)}{source}"


def _section(heading: str, text: object) -> Iterator[str]:
    if isinstance(text, str) and text.strip():
        yield f"## {heading}"
        yield ""
        yield line_of(text)
        yield ""


def _list(heading: str, items: object) -> Iterator[str]:
    if isinstance(items, (list, tuple)) and items:
        yield f"## {heading}"
        yield ""
        yield from (f"- {line_of(str(item))}" for item in items)
        yield ""


def _nothing_known(explanation: Explanation) -> Iterator[str]:
    yield "# Nothing known"
    yield ""
    yield explanation.wrapper or "No record explains this text."
    yield ""
    yield from _exceptions(explanation.exceptions)
    for nearest in explanation.nearest:
        yield from _nearest(nearest)


def _exceptions(blocks: tuple[ExceptionBlock, ...]) -> Iterator[str]:
    if not blocks:
        yield "The text contains no exception. Paste the traceback with its last line."
        yield ""
        return
    yield "Exceptions in the text:"
    yield ""
    for block in blocks:
        yield fenced(f"{block.class_name}: {block.message}", "text")
    yield ""


def _nearest(nearest: Nearest) -> Iterator[str]:
    yield f"## Similar: {line_of(nearest.record.error_message)}"
    yield ""
    yield _mismatch(nearest.parting)
    yield citation(nearest.record)
    yield ""


def _mismatch(mismatch: Mismatch) -> str:
    matched = f"Matches up to {code_of(mismatch.matched)}. " if mismatch.matched else ""
    expected, found = (code_of(text) if text else "nothing" for text in (mismatch.expected, mismatch.found))
    return f"{matched}First difference: expected {expected}, found {found}. {HINTS[mismatch.hint]}\n"
