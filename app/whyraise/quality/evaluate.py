"""How much is known of what people really report, and how often the first answer is right: measured on labelled pastes.

A labelled paste is a JSON object with `id`, `text` (as pasted), `message`, and where known `error_class` and
`truth_site` (`file`, `line`, `function` of the raise).

Known: the literals of a record cover at least 60 % of the message's own text, or a record of the raise site without
literals fits. The message's own text is what is left of it without values: numbers, what stands in quotes, paths and
dotted names. Right: the record's path tail and function are those of the raise. Where no record that knows the message
is of that site, it was not raised there (the frame called native code, or the text was written anew elsewhere): then a
record is right by which the message is known, that names no raise of Python itself, and whose class, if it has one,
agrees. The same holds where the truth has no site, whatever the record is of. Possible findings count for nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from whyraise.errors import BadInput
from whyraise.lookup.explain import Look, explain, look_at
from whyraise.lookup.explanation import Finding
from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.reading.paste import Span
from whyraise.source_paths import same_file, site_of

if TYPE_CHECKING:
    from typing import Any

    from whyraise.knowledge.catalog import Catalog
    from whyraise.matching.match import Match
    from whyraise.matching.wording import Wording

# The share of a message's own text that a record's literals must cover.
KNOWN = 0.6
_TOP = 3
_JUDGED = ("exact", "likely")
_FIGURES = (("known", "known"), ("first", "right"), ("top 3", "top"))
# Numbers, quoted values, paths, addresses and dotted or underscored names: what a message is filled with.
_VALUE = r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|<[^>\n]*>|\[[^\]\n]*\]|\S*[\d_/\\]\S*|\w+\.\w\S*"


class Site(NamedTuple):
    """Where an error was raised: the file as its package knows it, and the function."""

    file: str
    function: str


class Case(NamedTuple):
    """A labelled paste; `site` is None where the raise is in native code or unknown."""

    id: str
    text: str
    message: str
    error_class: str
    site: Site | None


class Outcome(NamedTuple):
    """What became of a labelled paste.

    `first` is the confidence of the first finding, if there was one, `right` whether it was right, `top` whether one of
    the first three was; `reason` says why it was not found or not first.
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
        """Return of how many pastes a field is true."""
        return sum(bool(getattr(outcome, name)) for outcome in self.outcomes)

    def precision(self, confidence: str) -> tuple[int, int]:
        """Return how many first findings of a confidence are right, and how many there are."""
        firsts = [outcome.right for outcome in self.outcomes if outcome.first == confidence]
        return sum(firsts), len(firsts)


def read_cases(lines: Iterable[str], where: str) -> Iterator[Case]:
    """Yield the labelled pastes of JSON Lines; raise `BadInput` where a line is none."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _case(json.loads(line), number)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                reason = f"{error} is missing" if isinstance(error, KeyError) else error
                raise BadInput(f"{where}, line {number}: {reason}. A labelled paste has text and message.") from error


def _case(fields: Mapping[str, Any], number: int) -> Case:
    site = fields.get("truth_site") or {"file": "", "function": ""}
    file = str(site["file"]).rpartition(":")[2]
    return Case(
        str(fields.get("id", number)),
        str(fields["text"]),
        str(fields["message"]),
        str(fields.get("error_class") or "").rpartition(".")[2],
        Site(site_of(file), str(site["function"]).rpartition(".")[2]) if file.endswith((".py", ".pyx")) else None,
    )


def measure(cases: Iterable[Case], catalog: Catalog) -> Coverage:
    """Look all labelled pastes up and compare what is found with what is true."""
    return Coverage(tuple(_outcome(case, catalog) for case in cases))


def _outcome(case: Case, catalog: Catalog) -> Outcome:
    findings = [found for found in explain(case.text, catalog).findings if found.confidence != "possible"]
    knowing = _knowing(case, catalog)
    right = [_is_right(found, case, knowing, catalog) for found in findings]
    reason = "" if right[:1] == [True] else _reason(findings, right, bool(knowing))
    first = findings[0].confidence if findings else ""
    return Outcome(case.id, bool(knowing), first, any(right[:1]), any(right[:_TOP]), reason)


def _reason(findings: Sequence[Finding], right: Sequence[bool], known: bool) -> str:
    if any(right):
        return f"{findings[0].record.id} came before it"
    if findings:
        return f"{findings[0].record.id} was found instead"
    return "known, but not found in this paste" if known else "no record says this"


def _knowing(case: Case, catalog: Catalog) -> frozenset[str]:
    """Return the ids of the records by which a message is known."""
    look = look_at(case.message, catalog)
    own = _own_text(look.pasted.text)
    known = {
        one.match.wording.record_id
        for one in look.judged
        if not one.match.share.cut and own and len(own & _literal(one.match)) >= KNOWN * len(own)
    }
    return frozenset(known | _fitting(case, look_at(case.text, catalog)))


def _fitting(case: Case, look: Look) -> set[str]:
    """Return the ids of records without literals that are found at the raise site."""
    return {
        one.match.wording.record_id
        for one in look.judged
        if not one.match.share.wanted and one.site_agrees == "agrees" and case.site
    }


def _own_text(message: str) -> frozenset[int]:
    """Return the positions of a message's characters that are neither white space nor part of a value."""
    values = {at for found in re.finditer(_VALUE, message) for at in range(*found.span())}
    return frozenset(at for at, char in enumerate(message) if not char.isspace() and at not in values)


def _literal(match: Match) -> set[int]:
    """Return the positions that a match explains by the record's own text, and not by its placeholders."""
    filled = _positions(piece for capture in match.captures for piece in capture.pieces)
    return _positions(match.pieces) - filled


def _positions(pieces: Iterable[Span]) -> set[int]:
    return {at for piece in pieces for at in range(*piece)}


def _is_right(found: Finding, case: Case, knowing: frozenset[str], catalog: Catalog) -> bool:
    wordings = _wordings({found.record.id, *found.same_as}, catalog)
    if case.site and any(_is_at(wording, case.site) for wording in wordings):
        return True
    if case.site and any(_is_at(wording, case.site) for wording in _wordings(knowing, catalog)):
        return False
    return any(_is_known(wording, case, knowing) for wording in wordings)


def _wordings(ids: Iterable[str], catalog: Catalog) -> list[Wording]:
    return [wording for each in sorted(ids) for wording in catalog.wordings_of(each)]


def _is_at(wording: Wording, site: Site) -> bool:
    return same_file(wording.site, site.file) and wording.function in ("", site.function)


def _is_known(wording: Wording, case: Case, knowing: frozenset[str]) -> bool:
    named = (wording.error_class or "").rpartition(".")[2]
    raised = case.site and wording.kind not in ("fragment", "rewritten") and wording.site.endswith(".py")
    return (
        wording.record_id in knowing and not raised and ("" in (named, case.error_class) or named == case.error_class)
    )


def as_json(coverage: Coverage) -> dict[str, object]:
    """Return the figures, and the outcome of every paste."""
    return {
        "pastes": len(coverage.outcomes),
        "known": coverage.count("known"),
        "first": coverage.count("right"),
        "top3": coverage.count("top"),
        "precision": {name: dict(zip(("right", "of"), coverage.precision(name), strict=True)) for name in _JUDGED},
        "outcomes": [outcome._asdict() for outcome in coverage.outcomes],
    }


def words(coverage: Coverage) -> str:
    """Return the figures as lines of text, and the pastes whose first answer is not right with the reason."""
    count = len(coverage.outcomes)
    lines = [
        f"{count} pastes",
        *(_line(name, coverage.count(field), count) for name, field in _FIGURES),
        *(_line(f"{name} right", *coverage.precision(name)) for name in _JUDGED),
        *(f"  {each.id}  {_known(each)}: {each.reason}" for each in coverage.outcomes if each.reason),
    ]
    return "\n".join(lines) + "\n"


def _known(outcome: Outcome) -> str:
    return "known" if outcome.known else "unknown"


def _line(name: str, part: int, whole: int) -> str:
    share = f" ({100 * part / whole:.1f} %)" if whole else ""
    return f"{name:13}{part} of {whole}{share}"
