"""The answer in a few lines, for where an error happens: below a failed command or test, or as an exception's note."""

from __future__ import annotations

import os
from collections.abc import Iterator

from whyraise.lookup.explanation import Explanation, Finding, ranks_of
from whyraise.records import verdict
from whyraise.reporters.location import Location, own_location
from whyraise.safe_text import harmless

# Characters of a sentence or value, findings beside the first one, and solutions that are shown.
_LONGEST, _OTHERS, _SOLUTIONS = 300, 2, 2
# What a record says of an error, and how it is called here.
_MEANING = (("means", "documentation"), ("when", "triggerScenarios"))


def explanation(answer: Explanation, root: str = "") -> str:
    """Return an explanation as lines that steer no terminal; nothing where the text shows no error at all.

    `root` is the folder that paths are told relative to, the current one where it is empty.
    """
    lines = _known(answer, root or os.getcwd()) if answer.findings else _unknown(answer)
    return harmless("".join(f"{line}\n" for line in lines))


def title(each: Finding) -> str:
    """Return a finding as one line."""
    return harmless(f"whyraise: {each.confidence}: {cut(each.record.error_message)}")


def details(each: Finding, place: Location | None) -> str:
    """Return the lines that follow a finding's title; `place` is the user's own line, where one is known."""
    return harmless("".join(f"{line}\n" for line in _details(each, place)))


def _known(answer: Explanation, root: str) -> Iterator[str]:
    first, *others = answer.findings
    yield title(first)
    yield from (f"  {line}" for line in _details(first, own_location(first, answer.exceptions, root)))
    for each in others[:_OTHERS]:
        yield f"  also {each.confidence}: {cut(each.record.error_message)} ({each.record.id})"
    if answer.wrapper:
        yield f"  {answer.wrapper}"


def _details(each: Finding, place: Location | None) -> Iterator[str]:
    ranks = ranks_of(each)
    where = [f"on rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"] if ranks else []
    where += [f"at {place.path}:{place.line}"] if place else []
    if where:
        yield " ".join(where)
    yield from (f"{capture.name} = {cut(capture.value)}" for capture in each.captures)
    fields = each.record.fields
    yield from (f"{word}: {cut(str(fields[name]))}" for word, name in _MEANING if fields.get(name))
    solutions = fields.get("solutions")
    if isinstance(solutions, (list, tuple)):
        yield from (f"fix: {cut(str(solution))}" for solution in solutions[:_SOLUTIONS])
    yield verdict.words(each.record)
    yield _source(each)


def _source(each: Finding) -> str:
    record = each.record
    line = f" line {record.line}" if record.line else ""
    site = f"record {record.id} ({record.origin}): {record.repo}, {record.site}{line}"
    return site if record.origin == "mined" else f"{site}; `whyraise show {record.id}` says more"


def _unknown(answer: Explanation) -> Iterator[str]:
    """Say in one line that nothing is known; what was read there is told by the text above it."""
    if answer.exceptions:
        last = answer.exceptions[-1]
        said = f"{last.class_name}: {last.message}".strip(": ")
        yield f"whyraise: {answer.wrapper or f'no record explains {cut(said)!r}.'}"


def cut(text: str) -> str:
    """Return a text as one line that is not too long to be read in passing."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
