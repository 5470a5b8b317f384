"""What the page shows of an answer: the JSON answer itself, and beside it records and paste as HTML needs them."""

from __future__ import annotations

from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explained, look_at
from whyraise.namedtuples import NamedTuple
from whyraise.reporters import json
from whyraise.web.pages import captures, highlight, record_view, report
from whyraise.web.pages.highlight import Lit
from whyraise.web.pages.record_view import Entry

# So many findings are shown whole; of the others, what and where they are, and a link to the record.
WHOLE = 3


class Known(NamedTuple):
    """A finding: `said` is its JSON, `message` its message in parts; `entry` its record, none beyond the first few.

    `wrong` is what to send where it is wrong.
    """

    said: json.Answer
    message: tuple[captures.Part, ...]
    entry: Entry | None
    ranks: tuple[int, ...]
    wrong: str


class Near(NamedTuple):
    """A record that comes near: `said` is its JSON."""

    said: json.Answer
    entry: Entry


class Shown(NamedTuple):
    """An answer as the page shows it; `missing` is what to send where no record explains the paste."""

    said: json.Answer
    findings: tuple[Known, ...]
    nearest: tuple[Near, ...]
    lit: Lit
    missing: str


def show(text: str, catalog: Catalog, limit: int) -> Shown:
    """Explain a pasted text for the page."""
    look = look_at(text, catalog)
    found = explained(look, catalog, limit=limit)
    said = json.explanation(found)
    findings = [
        Known(
            each,
            captures.set_off(finding, text),
            record_view.entry(finding.record) if number < WHOLE else None,
            tuple(sorted({one.rank for one in finding.occurrences if one.rank is not None})),
            report.wrong(finding, text, catalog.digest),
        )
        for number, (finding, each) in enumerate(zip(found.findings, _list(said["findings"]), strict=True))
    ]
    nearest = [
        Near(each, record_view.entry(near.record))
        for near, each in zip(found.nearest, _list(said["nearest"]), strict=True)
    ]
    return Shown(
        said,
        tuple(findings),
        tuple(nearest),
        highlight.light(look.pasted, found),
        report.missing(look, found, catalog.digest),
    )


def _list(value: object) -> list[json.Answer]:
    assert isinstance(value, list)
    return value


def draft(text: str, catalog: Catalog) -> bytes:
    """Return the draft of a record for a pasted text, as a ZIP file."""
    look = look_at(text, catalog)
    return report.draft(look, explained(look, catalog))
