"""Measure on labelled pastes how many reported errors are known, and how often the first finding is right.

A labelled paste is a JSON object with `id`, `text` (as pasted), `message`, and, if known, `error_class` and
`truth_site` (`file`, `line` and `function` of the raise).

A message is known if the literals of a record cover at least 60 % of the message's own text, or if a record of the
raise site without literals matches. The message's own text is the message without whitespace and values: numbers,
quoted texts, paths and dotted names.

A finding is right if the record's file and function are those of the raise. If no record that knows the message is of
that site, the error was not raised there: the frame called native code, or the text was rewritten elsewhere. Then a
finding is right if its record knows the message, names no raise in Python, and has no class or the right class. The
same holds, for any record, if the paste has no `truth_site`. Possible findings are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from whyraise.errors import BadInput
from whyraise.lookup.explain import Analysis, analyse, explain
from whyraise.lookup.explanation import Finding
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.names import bare_name
from whyraise.reading.paste import Span
from whyraise.source_paths import same_file, site_of

if TYPE_CHECKING:
    from typing import Any

    from whyraise.knowledge.catalog import Catalog
    from whyraise.matching.match import Match
    from whyraise.matching.wording import Wording

# The share of a message's own text that a record's literals must cover for the message to be known.
_MIN_COVERED = 0.6
_TOP = 3
_CONFIDENCES = ("exact", "likely")
_FIGURES = (("known", "known"), ("first", "right"), ("top 3", "top"))
# The values in a message: numbers, quoted texts, paths, addresses, and names with dots or underscores.
_VALUE = r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|<[^>\n]*>|\[[^\]\n]*\]|\S*[\d_/\\]\S*|\w+\.\w\S*"


class Site(NamedTuple):
    """The raise site of an error: the path of the file within its package, and the function."""

    file: str
    function: str


class Case(NamedTuple):
    """A labelled paste; `site` is None if the raise is in native code or unknown."""

    id: str
    text: str
    message: str
    error_class: str
    site: Site | None


class Outcome(NamedTuple):
    """The result of looking up a labelled paste.

    `known` is whether a record knows the message, `first` the confidence of the first finding or "", `right` whether
    that finding is right, `top` whether one of the first three is. `reason` tells why the first finding is not right.
    """

    id: str
    known: bool
    first: str
    right: bool
    top: bool
    reason: str


class Coverage(NamedTuple):
    """The outcomes of all labelled pastes."""

    outcomes: tuple[Outcome, ...]

    def count(self, name: str) -> int:
        """Return the number of pastes for which a field is true."""
        return sum(bool(getattr(outcome, name)) for outcome in self.outcomes)

    def precision(self, confidence: str) -> tuple[int, int]:
        """Return the number of first findings with a confidence that are right, and the number of all of them."""
        right = [outcome.right for outcome in self.outcomes if outcome.first == confidence]
        return sum(right), len(right)


def read_cases(lines: Iterable[str], file: str) -> Iterator[Case]:
    """Yield the labelled pastes of JSON Lines; raise `BadInput` if a line is not a labelled paste.

    `file` is the name for error messages.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _case(json.loads(line), number)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                reason = f"{error} is missing" if isinstance(error, KeyError) else error
                raise BadInput(
                    f"{file}, line {number}: {reason}. A labelled paste needs `text` and `message`."
                ) from error


def _case(fields: Mapping[str, Any], number: int) -> Case:
    site = fields.get("truth_site") or {"file": "", "function": ""}
    file = str(site["file"]).rpartition(":")[2]
    return Case(
        str(fields.get("id", number)),
        str(fields["text"]),
        str(fields["message"]),
        bare_name(str(fields.get("error_class") or "")),
        Site(site_of(file), bare_name(str(site["function"]))) if file.endswith((".py", ".pyx")) else None,
    )


def measure(cases: Iterable[Case], catalog: Catalog) -> Coverage:
    """Look up all labelled pastes and compare the findings with the labels."""
    return Coverage(tuple(_outcome(case, catalog) for case in cases))


def _outcome(case: Case, catalog: Catalog) -> Outcome:
    findings = [finding for finding in explain(case.text, catalog).findings if finding.confidence != "possible"]
    known_by = _records_that_know(case, catalog)
    right = [_is_right(finding, case, known_by, catalog) for finding in findings]
    reason = "" if right[:1] == [True] else _reason(findings, right, bool(known_by))
    first = findings[0].confidence if findings else ""
    return Outcome(case.id, bool(known_by), first, any(right[:1]), any(right[:_TOP]), reason)


def _reason(findings: Sequence[Finding], right: Sequence[bool], known: bool) -> str:
    if any(right):
        return f"{findings[0].record.id} was listed before the right record"
    if findings:
        return f"{findings[0].record.id} was found instead"
    return "a record has this message, but it was not found in this paste" if known else "no record has this message"


def _records_that_know(case: Case, catalog: Catalog) -> frozenset[str]:
    """Return the ids of the records that know the message of a case."""
    message = analyse(case.message, catalog)
    own_text = _own_text(message.pasted.text)
    known = {
        judgement.match.wording.record_id
        for judgement in message.judged
        if not judgement.match.share.truncated_side and own_text and _covers(judgement.match, own_text)
    }
    return frozenset(known | _records_at_site(case, analyse(case.text, catalog)))


def _records_at_site(case: Case, analysis: Analysis) -> set[str]:
    """Return the ids of the records without literals that match at the raise site."""
    return {
        judgement.match.wording.record_id
        for judgement in analysis.judged
        if not judgement.match.share.wanted and judgement.site_agrees == "agrees" and case.site
    }


def _covers(match: Match, own_text: frozenset[int]) -> bool:
    return len(own_text & _literal_offsets(match)) >= _MIN_COVERED * len(own_text)


def _own_text(message: str) -> frozenset[int]:
    """Return the offsets of a message's characters that are neither whitespace nor part of a value."""
    values = {offset for found in re.finditer(_VALUE, message) for offset in range(*found.span())}
    return frozenset(i for i, character in enumerate(message) if not character.isspace() and i not in values)


def _literal_offsets(match: Match) -> set[int]:
    """Return the offsets that match literals of the record, not placeholders."""
    captured = _offsets(piece for capture in match.captures for piece in capture.pieces)
    return _offsets(match.pieces) - captured


def _offsets(pieces: Iterable[Span]) -> set[int]:
    return {offset for piece in pieces for offset in range(*piece)}


def _is_right(finding: Finding, case: Case, known_by: frozenset[str], catalog: Catalog) -> bool:
    wordings = _wordings({finding.record.id, *finding.same_as}, catalog)
    if case.site and any(_is_at(wording, case.site) for wording in wordings):
        return True
    if case.site and any(_is_at(wording, case.site) for wording in _wordings(known_by, catalog)):
        return False
    return any(_is_right_without_site(wording, case, known_by) for wording in wordings)


def _wordings(ids: Iterable[str], catalog: Catalog) -> list[Wording]:
    return [wording for record_id in sorted(ids) for wording in catalog.wordings_of(record_id)]


def _is_at(wording: Wording, site: Site) -> bool:
    return same_file(wording.site, site.file) and wording.function in ("", site.function)


def _is_right_without_site(wording: Wording, case: Case, known_by: frozenset[str]) -> bool:
    error_class = bare_name(wording.error_class or "")
    is_class_right = "" in (error_class, case.error_class) or error_class == case.error_class
    is_python_raise = case.site and wording.kind not in ("fragment", "rewritten") and wording.site.endswith(".py")
    return wording.record_id in known_by and not is_python_raise and is_class_right


def as_json(coverage: Coverage) -> dict[str, object]:
    """Return the figures and the outcome of every paste as JSON."""
    return {
        "pastes": len(coverage.outcomes),
        "known": coverage.count("known"),
        "first": coverage.count("right"),
        "top3": coverage.count("top"),
        "precision": {name: dict(zip(("right", "of"), coverage.precision(name), strict=True)) for name in _CONFIDENCES},
        "outcomes": [outcome._asdict() for outcome in coverage.outcomes],
    }


def as_text(coverage: Coverage) -> str:
    """Return the figures as lines of text, then each paste whose first finding is not right, with the reason."""
    count = len(coverage.outcomes)
    lines = [
        f"{count} pastes",
        *(_line(name, coverage.count(field), count) for name, field in _FIGURES),
        *(_line(f"{name} right", *coverage.precision(name)) for name in _CONFIDENCES),
        *(f"  {miss.id}  {_known(miss)}: {miss.reason}" for miss in coverage.outcomes if miss.reason),
    ]
    return "\n".join(lines) + "\n"


def _known(outcome: Outcome) -> str:
    return "known" if outcome.known else "unknown"


def _line(name: str, part: int, whole: int) -> str:
    share = f" ({100 * part / whole:.1f} %)" if whole else ""
    return f"{name:13}{part} of {whole}{share}"
