"""The answer as Markdown: the one text that people and chatbots read, whichever door it comes through.

A paste is only ever quoted inside a fence, and a fence is always longer than what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whyraise.lookup.explanation import Explanation, Finding
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.reading.exceptions import ExceptionBlock
from whyraise.records import proof as proofs
from whyraise.records import verdict
from whyraise.records.language import language_of
from whyraise.records.record import Record, address, correction

if TYPE_CHECKING:
    from whyraise.lookup.diagnosis import Diagnosis
    from whyraise.lookup.explanation import Nearest

# Packages that are named where many are still being read.
_MOST_PACKAGES = 3
HINTS = {
    "case": "It would match with the letters in the record's case.",
    "punctuation": "It would match with the record's punctuation.",
    "word": "One word differs; the record's wording may be of another version.",
    "ends": "The paste ends there; paste the rest of the message.",
    "other": "From there on the two have no words in common.",
}
# The fields of a record that hold code, under the headings that they are shown with.
CODE = (
    ("exampleFix", "Fix"),
    ("typeGuard", "Type guard"),
    ("validationCode", "Validation"),
    ("tryCatchPattern", "Handling"),
)


def explanation(answer: Explanation) -> str:
    """Return an explanation as Markdown."""
    return _explanation(answer) + (_growing(answer.growing) if answer.growing else "")


def _growing(packages: tuple[str, ...]) -> str:
    """Say that more will be known soon: the first answer knows only the files that the frames name."""
    shown = ", ".join(packages[:_MOST_PACKAGES]) + (" and others" if len(packages) > _MOST_PACKAGES else "")
    return f"\nKnowledge is still growing: {shown} are being read. Ask again in a minute.\n"


def _explanation(answer: Explanation) -> str:
    if answer.findings:
        parts = ["\n".join(_finding(each)) for each in answer.findings]
        if answer.wrapper:
            parts.append(f"{answer.wrapper}\n")
        if answer.truncated:
            parts.append("More findings exist; ask for a higher limit.\n")
        return "\n---\n\n".join(parts)
    return "\n".join(_nothing_known(answer))


def record(each: Record) -> str:
    """Return a record as Markdown."""
    return "\n".join([f"# {line_of(each.error_message)}", "", *_knowledge(each)])


def diagnosis(answer: Diagnosis) -> str:
    """Return a diagnosis as Markdown."""
    title = f"# Does the text match `{answer.record.id}`?\n\n"
    if answer.matches:
        return title + "Yes: the whole message is there.\n"
    if answer.reason:
        return title + f"It cannot: {answer.reason}.\n"
    if answer.parting is None:
        return title + "No, and the record's text has no words that the paste could be compared with.\n"
    parting = answer.parting
    return title + "No. " + _parting_words(parting.matched, parting.expected, parting.found, parting.hint)


def fenced(text: str, language: str = "") -> str:
    """Return a text in a fence that it cannot close."""
    ticks = max((len(run) for run in re.findall("`{3,}", text)), default=2) + 1
    fence = "`" * ticks
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def line_of(text: str) -> str:
    """Return a text as one line that Markdown does not take for anything else."""
    line = re.sub(r"([\\<>\[\]*#|])", r"\\\1", " ".join(text.split()))
    return re.sub(r"^([`~+=_-]|\d+(?=[.)]))", _without_meaning, line)


def _without_meaning(start: re.Match[str]) -> str:
    """Return a line's start so that it opens no fence, list or rule."""
    return f"{start[0]}\\" if start[0].isdigit() else f"\\{start[0]}"


def code_of(text: str) -> str:
    """Return a text as code within a line, whatever backticks it holds."""
    text = " ".join(text.split())
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _finding(each: Finding) -> Iterator[str]:
    yield f"# {line_of(each.record.error_message)}"
    yield ""
    yield f"**{each.confidence}**, line {each.line}: " + "; ".join(line_of(one.text) for one in each.evidence) + "."
    yield ""
    yield fenced(each.message, "text")
    yield ""
    for capture in each.captures:
        yield f"- {code_of(capture.name)} = {code_of(capture.value)}"
    ranks = sorted({one.rank for one in each.occurrences if one.rank is not None})
    if len(each.occurrences) > 1 or ranks:
        on = f" on ranks {', '.join(map(str, ranks))}" if ranks else ""
        yield f"- said {len(each.occurrences)} times{on}"
    if each.equals:
        yield f"- not told apart from {', '.join(code_of(other) for other in each.equals)}: paste the whole traceback"
    yield ""
    yield from _knowledge(each.record)


def _knowledge(each: Record) -> Iterator[str]:
    fields = each.fields
    yield from _section("What it means", fields.get("documentation"))
    yield from _section("When it happens", fields.get("triggerScenarios"))
    yield from _list("Solutions", fields.get("solutions"))
    proof = verdict.proof_of(each)
    yield verdict.words(each)
    yield ""
    for name, heading in CODE:
        yield from _code(each, name, heading, failed=proof is not None and name in proofs.failed(proof))
    yield from _list("Prevention", fields.get("preventionTips"))
    yield citation(each)


def _code(each: Record, name: str, heading: str, *, failed: bool) -> Iterator[str]:
    """Yield a snippet; where the published one failed when it was run, its correction stands above it, and why."""
    published = each.fields.get(name)
    if not isinstance(published, str) or not published.strip():
        return
    language = language_of(each)
    corrected, why = correction(each, name) if failed else ("", "")
    if corrected:
        yield from (f"## {heading}, corrected", "", fenced(corrected, language), "")
    yield from (f"## {heading}, as published: fails when run" if failed else f"## {heading}", "")
    if why:
        yield from (line_of(why), "")
    yield from (fenced(published, language), "")


def citation(each: Record) -> str:
    """Return the line that says where an answer comes from."""
    where = f"{each.repo}, {each.site} line {each.line}"
    url = each.fields.get("githubUrl")
    source = f" <{url}>" if isinstance(url, str) and re.fullmatch(r"https?://[^\s<>]+", url) else ""
    return f"Record {code_of(each.id)} ({each.origin}), {code_of(address(each))}, {line_of(where)}{source}"


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


def _nothing_known(answer: Explanation) -> Iterator[str]:
    yield "# Nothing known"
    yield ""
    yield answer.wrapper or "No record explains this text."
    yield ""
    yield from _read(answer.exceptions)
    for near in answer.nearest:
        yield from _near(near)


def _read(blocks: tuple[ExceptionBlock, ...]) -> Iterator[str]:
    if not blocks:
        yield "No exception was read in it. Paste the traceback with its last line."
        yield ""
        return
    yield "Exceptions that were read:"
    yield ""
    for block in blocks:
        yield fenced(f"{block.class_name}: {block.message}", "text")
    yield ""


def _near(near: Nearest) -> Iterator[str]:
    yield f"## Near: {line_of(near.record.error_message)}"
    yield ""
    parting = near.parting
    yield _parting_words(parting.matched, parting.expected, parting.found, parting.hint)
    yield citation(near.record)
    yield ""


def _parting_words(matched: str, expected: str, found: str, hint: str) -> str:
    quoted = {"matched up to here": matched, "the record says": expected, "the paste says": found}
    words = "; ".join(f"{what} {code_of(text) if text else 'nothing'}" for what, text in quoted.items())
    return f"{words[:1].upper()}{words[1:]}. {HINTS[hint]}\n"
