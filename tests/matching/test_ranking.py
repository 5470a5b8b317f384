"""The order of findings, and how they are judged against each other."""

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from tests.support.repository import DATA
from tests.support.torchrun import SUMMARY
from whyraise.lookup.explain import explain


def test_records_that_a_paste_does_not_tell_apart_are_equal(make_catalog: MakeCatalog) -> None:
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


def test_a_few_words_in_the_middle_of_other_text_are_not_a_finding(make_catalog: MakeCatalog) -> None:
    catalog = make_catalog([record("not found"), record("empty string")])
    assert explain("the page was not found in the cache", catalog, min_confidence="possible").findings == ()
    assert [finding.confidence for finding in explain("ValueError: not found\n", catalog).findings] == ["likely"]


def test_the_cause_comes_before_its_wrapper(make_catalog: MakeCatalog) -> None:
    summary = record("\n{script} FAILED", errorClass="ChildFailedError")
    cause = record("the setting {name} has no default here")
    text = "ValueError: the setting rate has no default here\n" + SUMMARY
    found = explain(text, make_catalog([summary, cause]), min_confidence="possible").findings
    assert found[0].record.id == cause["id"]


def test_a_wrapper_comes_after_its_cause_even_if_it_has_a_better_confidence(make_catalog: MakeCatalog) -> None:
    wrapper = record(
        "DataLoader worker (pid(s) {pids_str}) exited unexpectedly",
        errorClass="RuntimeError",
        filePath="torch/utils/data/dataloader.py",
    )
    killed = record(
        "DataLoader worker (pid {a}) is killed by signal: {b}. ", errorClass=None, filePath="torch/lib/libtorch.so"
    )
    text = (DATA / "tracebacks/dataloader-killed.txt").read_text("utf-8")
    found = explain(text, make_catalog([wrapper, killed])).findings
    assert [(finding.record.id, finding.confidence) for finding in found] == [
        (killed["id"], "likely"),
        (wrapper["id"], "exact"),
    ]
