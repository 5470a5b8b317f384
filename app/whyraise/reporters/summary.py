"""Formats an answer in a few lines, to print below a failed command or test, or as an exception's note."""

from __future__ import annotations

import os
from collections.abc import Iterator

from whyraise.lookup.explanation import Explanation, Finding, ranks_of
from whyraise.records import verdict
from whyraise.records.record import Record
from whyraise.reporters.location import Location, own_location
from whyraise.reporters.notes import notes
from whyraise.safe_text import replace_controls

# Maximum number of characters of a line, of findings after the first one, and of solutions.
_MAX_CHARACTERS, _MAX_OTHERS, _MAX_SOLUTIONS = 300, 2, 2
# Labels of the lines, and the record fields that they show.
_MEANING = (("means", "documentation"), ("when", "triggerScenarios"))


def explanation(explanation: Explanation, root: str = "") -> str:
    """Return an explanation as lines without terminal control characters, or "" if the text contains no exception.

    Paths are shown relative to `root`, or to the current folder if `root` is empty.
    """
    lines = _known(explanation, root or os.getcwd()) if explanation.findings else _unknown(explanation)
    return replace_controls("".join(f"{line}\n" for line in lines))


def title(finding: Finding) -> str:
    """Return a finding as one line."""
    return replace_controls(f"whyraise: {finding.confidence}: {truncate(finding.record.error_message)}")


def details(finding: Finding, location: Location | None) -> str:
    """Return the lines that follow a finding's title; `location` is the line of the user's code, or None if unknown."""
    return replace_controls("".join(f"{line}\n" for line in _details(finding, location)))


def _known(explanation: Explanation, root: str) -> Iterator[str]:
    first, *others = explanation.findings
    yield title(first)
    yield from (f"  {line}" for line in _details(first, own_location(first, explanation.exceptions, root)))
    for finding in others[:_MAX_OTHERS]:
        yield f"  also {finding.confidence}: {truncate(finding.record.error_message)} ({finding.record.id})"
    if explanation.wrapper:
        yield f"  {explanation.wrapper}"
    yield from (f"  {note}" for note in notes(explanation))


def _details(finding: Finding, location: Location | None) -> Iterator[str]:
    ranks = ranks_of(finding)
    places = [f"on rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"] if ranks else []
    places += [f"at {location.path}:{location.line}"] if location else []
    if places:
        yield " ".join(places)
    yield from (f"{capture.name} = {truncate(capture.value)}" for capture in finding.captures)
    fields = finding.record.fields
    yield from (f"{label}: {truncate(str(fields[name]))}" for label, name in _MEANING if fields.get(name))
    yield from (f"fix: {truncate(advice.text)}" for advice in finding.advice[:_MAX_SOLUTIONS])
    yield verdict.summary(finding.record)
    yield _citation(finding.record)
    if finding.own_source:
        yield f"from your own records: {truncate(finding.own_source)}"


def _citation(record: Record) -> str:
    line = f" line {record.line}" if record.line else ""
    citation = f"record {record.id} ({record.origin}): {record.repo}, {record.site}{line}"
    return citation if record.origin == "mined" else f"{citation}; run `whyraise show {record.id}` for details"


def _unknown(explanation: Explanation) -> Iterator[str]:
    """Yield one line that says that nothing is known; the traceback itself is printed above it."""
    if explanation.exceptions:
        last = explanation.exceptions[-1]
        header = f"{last.class_name}: {last.message}".strip(": ")
        yield f"whyraise: {explanation.wrapper or f'no record explains {truncate(header)!r}.'}"


def truncate(text: str) -> str:
    """Return a text as one line, truncated to 300 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARACTERS else f"{line[: _MAX_CHARACTERS - 1].rstrip()}…"
