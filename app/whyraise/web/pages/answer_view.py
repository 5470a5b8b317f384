"""Prepares an answer for the page: the JSON answer, and what the templates need besides it."""

from __future__ import annotations

from whyraise.ask.answer import answer_with_analysis
from whyraise.ask.knowledge import Knowledge
from whyraise.namedtuples import NamedTuple
from whyraise.reporters import json
from whyraise.web.pages import captures, highlight, record_view, report
from whyraise.web.pages.highlight import HighlightedPaste
from whyraise.web.pages.record_view import Entry

# This many findings are shown with their whole record; the others link to the record's page.
MAX_WHOLE_FINDINGS = 3


class FindingView(NamedTuple):
    """A finding on the page.

    `data` is its JSON, `message` its message in parts, `entry` its record (None after `MAX_WHOLE_FINDINGS` findings),
    `ranks` the ranks that printed it, and `wrong_report` the report to send if the finding is wrong.
    """

    data: json.Answer
    message: tuple[captures.Part, ...]
    entry: Entry | None
    ranks: tuple[int, ...]
    wrong_report: str


class NearestView(NamedTuple):
    """A record that almost matches, on the page; `data` is its JSON."""

    data: json.Answer
    entry: Entry


class AnswerView(NamedTuple):
    """An answer on the page: `data` is its JSON, `missing_report` the report that no record explains the paste."""

    data: json.Answer
    findings: tuple[FindingView, ...]
    nearest: tuple[NearestView, ...]
    paste: HighlightedPaste
    missing_report: str


def explain_for_page(text: str, knowledge: Knowledge) -> AnswerView:
    """Explain a pasted text for the page."""
    answer, look, catalog = answer_with_analysis(text, knowledge)
    data = json.explanation(answer)
    findings = [
        FindingView(
            finding_data,
            captures.message_parts(finding, text),
            record_view.entry(finding.record) if index < MAX_WHOLE_FINDINGS else None,
            tuple(sorted({occurrence.rank for occurrence in finding.occurrences if occurrence.rank is not None})),
            report.wrong_finding(finding, text, catalog.digest),
        )
        for index, (finding, finding_data) in enumerate(zip(answer.findings, _list(data["findings"]), strict=True))
    ]
    nearest = [
        NearestView(nearest_data, record_view.entry(nearest.record))
        for nearest, nearest_data in zip(answer.nearest, _list(data["nearest"]), strict=True)
    ]
    return AnswerView(
        data,
        tuple(findings),
        tuple(nearest),
        highlight.highlight(look.pasted, answer),
        report.missing_record(look, answer, catalog.digest),
    )


def _list(value: object) -> list[json.Answer]:
    assert isinstance(value, list)
    return value


def draft(text: str, knowledge: Knowledge) -> bytes:
    """Return the draft of a record for a pasted text, as a ZIP file."""
    answer, look, _ = answer_with_analysis(text, knowledge)
    return report.draft_record(look, answer)
