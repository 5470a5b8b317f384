"""The known errors in a pasted text: findings, captures, occurrences, and what is returned if nothing is known."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from tests.support.repository import RECORDS
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from tests.support.torchrun import SUMMARY
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.reading.paste import Span

FOLDER = RECORDS / "Lightning-AI/pytorch-lightning/blocking-backward-sync-is-only-possible-if-the-mod"


def captured(text: str, catalog: Catalog) -> tuple[str, str, dict[str, str], list[str]]:
    """Return the first finding: id, confidence, captures, and the text at their spans."""
    finding = explain(text, catalog).findings[0]
    values = {capture.name: capture.value for capture in finding.captures}
    pasted = ["".join(text[span.start : span.end] for span in capture.spans) for capture in finding.captures]
    return finding.record.id, finding.confidence, values, pasted


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        pytest.param(MESSAGE, "likely", id="bare"),
        pytest.param(TRACEBACK, "exact", id="in a traceback"),
        pytest.param("step 1 loss 0.25 and all is well\n" * 160_000 + TRACEBACK, "exact", id="after 5 MB"),
    ],
)
def test_the_first_record_is_found_with_its_captures(text: str, confidence: str, bundled: Catalog) -> None:
    values = {
        "self.__class__.__name__": "_DDPBackwardSyncControl",
        "module.__class__.__name__": "torch.nn.Linear",
    }
    assert captured(text, bundled) == (SEED, confidence, values, list(values.values()))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (MESSAGE.partition("torch")[0], {"self.__class__.__name__": "_DDPBackwardSyncControl"}),
        (
            MESSAGE[30:],
            {"self.__class__.__name__": "_DDPBackwardSyncControl", "module.__class__.__name__": "torch.nn.Linear"},
        ),
        (TRACEBACK.partition("DistributedData")[0], {"self.__class__.__name__": "_DDPBackwardSyncControl"}),
    ],
    ids=["after Got:", "before", "inside a word"],
)
def test_a_truncated_message_is_found_with_its_remaining_captures(
    text: str, values: dict[str, str], bundled: Catalog
) -> None:
    assert captured(text, bundled) == (SEED, "likely", values, list(values.values()))


def test_a_finding_has_everything_about_its_place(bundled: Catalog) -> None:
    [finding] = explain("prose before\n" + TRACEBACK, bundled).findings
    start = len("prose before\n") + TRACEBACK.index("Blocking")
    assert finding.exception is not None
    assert (
        finding.message,
        finding.line,
        finding.spans,
        finding.kind,
        finding.exception.class_name,
        [frame.line for frame in finding.exception.frames],
        [evidence.kind for evidence in finding.evidence],
    ) == (
        MESSAGE, 8, (Span(start, start + len(MESSAGE)),), "fix", "TypeError", [31, 268],
        ["message", "class", "site", "alone"],
    )  # fmt: skip


def test_a_found_record_has_the_published_fields_in_order(bundled: Catalog) -> None:
    published = json.loads((FOLDER / "record.json").read_text("utf-8"))["record"]
    served = explain(MESSAGE, bundled).findings[0].record.fields
    assert list(served.items()) == list(published.items())


def test_one_error_under_several_ids_is_one_finding_with_the_curated_record(make_catalog: MakeCatalog) -> None:
    template = "the setting {name} has no default here"
    envelopes = [
        {"record": record(template, id=f"{number:016x}"), "datasetVersion": "1", "origin": origin}
        for number, origin in enumerate(("mined", "published", "curated"))
    ]
    [finding] = explain("ValueError: the setting rate has no default here", make_catalog(envelopes)).findings
    assert (finding.record.origin, finding.same_as) == ("curated", (f"{1:016x}", f"{0:016x}"))


def test_if_nothing_is_known_the_answer_has_the_exceptions_and_the_nearest_records(bundled: Catalog) -> None:
    text = TRACEBACK.replace("Blocking backward sync", "Blocking Backward sync").replace("possible", "feasible")
    answer = explain(text, bundled)
    assert (answer.findings, [block.class_name for block in answer.exceptions]) == ((), ["TypeError"])
    nearest = answer.nearest[0]
    assert (nearest.record.id, nearest.parting.matched, nearest.parting.hint) == (SEED, "Blocking", "case")
    assert [text[span.start : span.end] for span in nearest.spans] == ["Backward"]


def test_possible_findings_are_returned_only_if_nothing_better_is_found_or_if_asked_for(
    make_catalog: MakeCatalog,
) -> None:
    other = record("a wrong kind of value", errorClass="KeyError")
    catalog = make_catalog([record("the setting {name} has no default here"), other])
    text = "ValueError: the setting rate has no default here\n\nValueError: a wrong kind of value\n"
    counts = [len(explain(text, catalog, min_confidence=least).findings) for least in (None, "exact", "possible")]
    assert counts == [1, 1, 2]


def test_an_answer_with_more_findings_than_the_limit_is_truncated(make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record(f"the setting number {number} has no default") for number in range(1, 4)])
    text = "".join(f"ValueError: the setting number {number} has no default\n\n" for number in range(1, 4))
    answer = explain(text, catalog, limit=2)
    assert (len(answer.findings), answer.truncated) == (2, True)


def test_a_paste_of_only_a_wrapper_gets_advice_what_to_paste_instead(bundled: Catalog) -> None:
    answer = explain(SUMMARY, bundled)
    assert (answer.findings, answer.wrapper.partition(":")[0]) == ((), "This is torchrun's summary")
    assert explain(TRACEBACK + SUMMARY, bundled).wrapper == ""


def test_the_last_of_very_many_exceptions_are_shown(bundled: Catalog) -> None:
    answer = explain("".join(f"ValueError: number {n}\n" for n in range(1000)), bundled)
    assert [block.message for block in answer.exceptions] == [f"number {n}" for n in range(900, 1000)]
    assert answer.truncated


def test_the_bundled_records_are_those_of_this_repository(bundled: Catalog) -> None:
    assert bundled.datasets[0].records == len(list(Path(RECORDS).glob("*/*/*/record.json")))


def test_many_threads_ask_one_catalog(bundled: Catalog) -> None:
    expected = explain(TRACEBACK, bundled)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: explain(TRACEBACK, bundled), range(100)))
    assert answers == [expected] * 100


def test_a_function_name_with_lone_surrogates_is_looked_up_like_any_other(bundled: Catalog) -> None:
    text = TRACEBACK.replace("in no_backward_sync", "in no_\ud800backward_sync")
    assert explain(text, bundled).findings[0].record.id == SEED


@pytest.mark.parametrize(
    "boilerplate",
    [
        "Traceback (most recent call last):",
        "During handling of the above exception, another exception occurred:",
        "/home/user/.venv/lib/python3.11/site-packages/thing/core.py",
    ],
)
def test_boilerplate_of_tracebacks_is_not_a_message(boilerplate: str, make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record(boilerplate, errorClass=None)])
    frame = '  File "/home/user/.venv/lib/python3.11/site-packages/thing/core.py", line 3, in f'
    first = f"Traceback (most recent call last):\n{frame}\nTypeError: x is 3\n"
    again = f"{first}\nDuring handling of the above exception, another exception occurred:\n\n{first}"
    assert explain(again, catalog, min_confidence="possible").findings == ()
    findings = explain(f"TypeError: {boilerplate}\n", catalog, min_confidence="possible").findings
    assert [finding.record.fields["errorMessage"] for finding in findings] == [boilerplate]
