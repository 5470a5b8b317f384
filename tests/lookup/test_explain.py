import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from tests.support.repository import RECORDS, ROOT
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.diagnosis import diagnose
from whyraise.lookup.explain import explain
from whyraise.reading.paste import Span

FOLDER = RECORDS / "Lightning-AI/pytorch-lightning/blocking-backward-sync-is-only-possible-if-the-mod"


def captured(text: str, catalog: Catalog) -> tuple[str, str, dict[str, str], list[str]]:
    """Return the first finding: id, confidence, captures, and what stands at their spans."""
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
def test_a_cut_message_is_found_with_the_captures_it_still_has(
    text: str, values: dict[str, str], bundled: Catalog
) -> None:
    assert captured(text, bundled) == (SEED, "likely", values, list(values.values()))


def test_a_finding_says_everything_of_its_place(bundled: Catalog) -> None:
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


def test_what_is_served_is_what_was_published_field_for_field(bundled: Catalog) -> None:
    published = json.loads((FOLDER / "record.json").read_text("utf-8"))["record"]
    served = explain(MESSAGE, bundled).findings[0].record.fields
    assert list(served.items()) == list(published.items())


def test_one_error_under_several_ids_is_one_finding_and_the_curated_one_speaks(make_catalog: MakeCatalog) -> None:
    template = "the setting {name} has no default here"
    envelopes = [
        {"record": record(template, id=f"{number:016x}"), "datasetVersion": "1", "origin": origin}
        for number, origin in enumerate(("mined", "published", "curated"))
    ]
    [finding] = explain("ValueError: the setting rate has no default here", make_catalog(envelopes)).findings
    assert (finding.record.origin, finding.same_as) == ("curated", (f"{1:016x}", f"{0:016x}"))


def test_records_that_a_paste_does_not_tell_apart_are_equals(make_catalog: MakeCatalog) -> None:
    template = "the setting {name} has no default here"
    catalog = make_catalog([record(template), record(template, filePath="src/other/part.py")])
    first, second = explain("ValueError: the setting rate has no default here", catalog).findings
    assert (first.confidence, first.equals, second.equals) == ("likely", (second.record.id,), (first.record.id,))


def test_frames_decide_between_records_that_share_a_message(make_catalog: MakeCatalog) -> None:
    template = "the setting {name} has no default here"
    catalog = make_catalog([record(template), record(template, filePath="src/other/part.py")])
    text = (
        'Traceback (most recent call last):\n  File "/x/site-packages/other/part.py", line 10, in read\n'
        "    raise ValueError(\nValueError: the setting rate has no default here\n"
    )
    [finding] = explain(text, catalog).findings
    assert (finding.record.site, finding.confidence, finding.equals) == ("other/part.py", "exact", ())


def test_a_more_specific_record_is_preferred(make_catalog: MakeCatalog) -> None:
    general, special = record("cannot open {path}"), record("cannot open {path} for writing because it is locked")
    findings = explain(
        "ValueError: cannot open a.txt for writing because it is locked", make_catalog([general, special])
    ).findings
    assert [(finding.record.id, finding.confidence) for finding in findings] == [(special["id"], "exact")]


def test_a_record_without_literals_needs_class_and_frame(make_catalog: MakeCatalog) -> None:
    site = record("{key}", errorClass="KeyError", filePath="pandas/core/indexes/base.py")
    site |= {"sourceCode": "def get_loc(self, key):\n    raise KeyError(key)", "sourceCodeStart": 9, "lineNumber": 10}
    catalog = make_catalog([site])
    frame = '  File "/x/site-packages/pandas/core/indexes/base.py", line 3812, in get_loc\n    raise KeyError(key)\n'
    assert explain("KeyError: 'x'", catalog).findings == ()
    [finding] = explain(f"Traceback (most recent call last):\n{frame}KeyError: 'x'\n", catalog).findings
    assert (finding.confidence, finding.captures[0].value) == ("exact", "'x'")


def test_a_quoted_source_line_never_wins_over_the_message(make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record("unknown reduction given {what}")])
    text = (
        'Traceback (most recent call last):\n  File "/x/thing/core.py", line 10, in f\n'
        '    raise ValueError("unknown reduction given " + str(what))\nValueError: unknown reduction given 3\n'
    )
    [finding] = explain(text, catalog).findings
    assert (finding.line, [capture.value for capture in finding.captures]) == (4, ["3"])


def test_nothing_known_is_an_answer_with_what_was_read_and_what_comes_near(bundled: Catalog) -> None:
    text = TRACEBACK.replace("Blocking backward sync", "Blocking Backward sync").replace("possible", "feasible")
    answer = explain(text, bundled)
    assert (answer.findings, [block.class_name for block in answer.exceptions]) == ((), ["TypeError"])
    near = answer.nearest[0]
    assert (near.record.id, near.parting.matched, near.parting.hint) == (SEED, "Blocking", "case")
    assert [text[span.start : span.end] for span in near.spans] == ["Backward"]


@pytest.mark.parametrize(
    ("change", "hint", "expected", "found"),
    [
        (("only possible", "Only possible"), "case", "only", "Only"),
        (("wrapped in", "inside of"), "other", "wrapped", "inside"),
        (("if the module", "when the module"), "word", "if", "when"),
        ((". Got: ", "! Got: "), "punctuation", ".", "!"),
        ((MESSAGE[MESSAGE.index(" wrapped") :], ""), "ends", "wrapped", ""),
    ],
)
def test_a_diagnosis_says_where_text_and_record_part_and_what_would_match(
    change: tuple[str, str], hint: str, expected: str, found: str, bundled: Catalog
) -> None:
    text = "I get\n" + MESSAGE.replace(*change) + "\n\nand more"
    diagnosis = diagnose(text, bundled.record_of(SEED), bundled)
    assert diagnosis.parting is not None
    parting = diagnosis.parting
    assert (diagnosis.matches, parting.hint) == (False, hint)
    assert (parting.expected[: len(expected)], parting.found[: len(found)]) == (expected, found)


def test_a_diagnosis_of_a_text_that_matches_says_so(bundled: Catalog) -> None:
    diagnosis = diagnose(TRACEBACK, bundled.record_of(SEED), bundled)
    assert (diagnosis.matches, diagnosis.parting) == (True, None)


def test_possible_findings_are_returned_only_where_nothing_better_is_or_when_asked_for(
    make_catalog: MakeCatalog,
) -> None:
    other = record("a wrong kind of value", errorClass="KeyError")
    catalog = make_catalog([record("the setting {name} has no default here"), other])
    text = "ValueError: the setting rate has no default here\n\nValueError: a wrong kind of value\n"
    counts = [len(explain(text, catalog, min_confidence=least).findings) for least in (None, "exact", "possible")]
    assert counts == [1, 1, 2]


def test_a_few_words_in_the_middle_of_other_text_are_no_finding_at_all(make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record("not found"), record("empty string")])
    assert explain("the page was not found in the cache", catalog, min_confidence="possible").findings == ()
    assert [finding.confidence for finding in explain("ValueError: not found\n", catalog).findings] == ["likely"]


def test_more_findings_than_asked_for_are_said_to_be_there(make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record(f"the setting number {number} has no default") for number in range(1, 4)])
    text = "".join(f"ValueError: the setting number {number} has no default\n\n" for number in range(1, 4))
    answer = explain(text, catalog, limit=2)
    assert (len(answer.findings), answer.truncated) == (2, True)


ELASTIC = """torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 4121)
============================================================
"""


def test_a_paste_that_shows_only_a_wrapper_is_told_what_to_paste_instead(bundled: Catalog) -> None:
    answer = explain(ELASTIC, bundled)
    assert (answer.findings, answer.wrapper.partition(":")[0]) == ((), "This is torchrun's summary")
    assert explain(TRACEBACK + ELASTIC, bundled).wrapper == ""


def test_the_cause_comes_before_its_wrapper(make_catalog: MakeCatalog) -> None:
    summary = record("\n{script} FAILED", errorClass="ChildFailedError")
    cause = record("the setting {name} has no default here")
    text = "ValueError: the setting rate has no default here\n" + ELASTIC
    found = explain(text, make_catalog([summary, cause]), min_confidence="possible").findings
    assert found[0].record.id == cause["id"]


def test_of_very_many_exceptions_the_last_are_shown(bundled: Catalog) -> None:
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
    ("quoted", "confidences"),
    [
        ("    load(1, 2)\n", ["exact"]),
        ("", ["exact"]),
        ("    raise _api.nargs_error('load', takes='1', given=2)\n", []),
        ("    assert fits(), nargs_error('load', takes='1', given=2)\n", []),
        ("    if not fits: raise TypeError(given)\n", []),
        ("    raise(TypeError(given))\n", []),
        ("    made.throw(TypeError(given))\n", []),
        ("    raise\n", ["exact"]),
        ("    raised = load(1, 2)\n", ["exact"]),
        ("    load('or raise it', 2)\n", ["exact"]),
    ],
    ids=[
        "a call",
        "no source",
        "raise",
        "assert",
        "after if",
        "in brackets",
        "thrown",
        "raised again",
        "a name that begins so",
        "in a text",
    ],
)
def test_what_a_statement_raised_is_no_message_of_native_code(
    quoted: str, confidences: list[str], bundled: Catalog
) -> None:
    text = (
        f'Traceback (most recent call last):\n  File "/home/me/a.py", line 3, in load\n{quoted}'
        "TypeError: load() takes 1 positional argument but 2 were given\n"
    )
    found = [each for each in explain(text, bundled).findings if each.confidence != "possible"]
    assert [each.confidence for each in found] == confidences
    assert all(each.record.slug == "takes-positional-arguments-but-were-given" for each in found)


@pytest.mark.parametrize(
    "furniture",
    [
        "Traceback (most recent call last):",
        "During handling of the above exception, another exception occurred:",
        "/home/user/.venv/lib/python3.11/site-packages/thing/core.py",
    ],
)
def test_what_every_traceback_is_made_of_is_no_message(furniture: str, make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record(furniture, errorClass=None)])
    frame = '  File "/home/user/.venv/lib/python3.11/site-packages/thing/core.py", line 3, in f'
    first = f"Traceback (most recent call last):\n{frame}\nTypeError: x is 3\n"
    again = f"{first}\nDuring handling of the above exception, another exception occurred:\n\n{first}"
    assert explain(again, catalog, min_confidence="possible").findings == ()
    said = explain(f"TypeError: {furniture}\n", catalog, min_confidence="possible").findings
    assert [each.record.fields["errorMessage"] for each in said] == [furniture]


def test_a_wrapper_that_is_known_better_comes_after_what_it_wraps(make_catalog: MakeCatalog) -> None:
    wrapper = record(
        "DataLoader worker (pid(s) {pids_str}) exited unexpectedly",
        errorClass="RuntimeError",
        filePath="torch/utils/data/dataloader.py",
    )
    killed = record(
        "DataLoader worker (pid {a}) is killed by signal: {b}. ", errorClass=None, filePath="torch/lib/libtorch.so"
    )
    text = (ROOT / "tests/tracebacks/dataloader-killed.txt").read_text("utf-8")
    found = explain(text, make_catalog([wrapper, killed])).findings
    assert [(each.record.id, each.confidence) for each in found] == [(killed["id"], "likely"), (wrapper["id"], "exact")]
