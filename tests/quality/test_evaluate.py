"""Coverage of labelled pastes: how many are known, how often the first finding is right, and why it is not."""

import json
from pathlib import Path

import pytest

from tests.support.records import record
from tests.support.seed import SEED, TRACEBACK
from whyraise.cli.main import main
from whyraise.errors import BadInput
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.quality.evaluate import Case, Outcome, Site, measure, read_cases

DDP = Site("lightning/fabric/strategies/ddp.py", "no_backward_sync")
MESSAGE = TRACEBACK.splitlines()[-1].partition(": ")[2]
SEED_CASE = Case("seed", TRACEBACK, MESSAGE, "TypeError", DDP)


def outcome(case: Case, catalog: Catalog) -> Outcome:
    [measured] = measure([case], catalog).outcomes
    return measured


def test_a_paste_whose_record_comes_first_is_known_and_right(bundled: Catalog) -> None:
    assert outcome(SEED_CASE, bundled) == Outcome("seed", True, "exact", True, True, "")


def test_a_record_of_another_site_is_not_right(bundled: Catalog) -> None:
    case = SEED_CASE._replace(site=Site("lightning/fabric/strategies/fsdp.py", "no_backward_sync"))
    assert outcome(case, bundled) == Outcome("seed", True, "exact", False, False, f"{SEED} was found instead")


def test_a_function_of_another_name_is_not_right(bundled: Catalog) -> None:
    assert not outcome(SEED_CASE._replace(site=DDP._replace(function="setup")), bundled).right


def test_without_a_true_site_class_and_coverage_decide(bundled: Catalog) -> None:
    native = SEED_CASE._replace(site=None)
    assert outcome(native, bundled).right
    assert not outcome(native._replace(error_class="KeyError"), bundled).right


def test_a_message_that_no_record_has_is_unknown(bundled: Catalog) -> None:
    case = Case("moon", "ValueError: the moon is full today\n", "the moon is full today", "ValueError", None)
    assert outcome(case, bundled) == Outcome("moon", False, "", False, False, "no record has this message")


def test_a_known_message_that_is_not_in_the_paste_has_its_own_reason(bundled: Catalog) -> None:
    case = SEED_CASE._replace(text="TypeError: something else entirely\n")
    reason = "a record has this message, but it was not found in this paste"
    assert outcome(case, bundled) == Outcome("seed", True, "", False, False, reason)


def test_a_record_that_covers_too_little_of_a_message_does_not_know_it(tmp_path: Path) -> None:
    fields = record("the first part {x}", filePath="thing/core.py")
    (tmp_path / "one.json").write_text(json.dumps(fields), "utf-8")
    build([tmp_path / "one.json"], tmp_path / "one.db")
    catalog = open_file(str(tmp_path / "one.db"), str(tmp_path))
    message = "the first part is short but all that comes after it is long and no part of the record"
    assert not outcome(Case("x", f"ValueError: {message}\n", message, "ValueError", None), catalog).known
    short = "the first part '3.5'"
    assert outcome(Case("x", f"ValueError: {short}\n", short, "ValueError", None), catalog).known


def test_labels_are_read_and_sites_become_paths_within_packages() -> None:
    line = json.dumps(
        {
            "id": "a", "text": "t", "message": "m", "error_class": "x.y.Bad",
            "truth_site": {"file": "src/lightning_fabric/a.py", "line": 3, "function": "A.f"},
        }
    )  # fmt: skip
    native = json.dumps({"text": "t", "message": "m", "truth_site": {"file": "a/b.cpp", "line": 3, "function": "f"}})
    assert list(read_cases([line, "", native], "x.jsonl")) == [
        Case("a", "t", "m", "Bad", Site("lightning/fabric/a.py", "f")),
        Case("3", "t", "m", "", None),
    ]


@pytest.mark.parametrize(("line", "reason"), [("{", "Expecting"), ('{"text": "t"}', "'message' is missing"), ("3", "")])
def test_a_line_that_is_not_a_labelled_paste_is_rejected_with_its_number(line: str, reason: str) -> None:
    with pytest.raises(BadInput, match=rf"x\.jsonl, line 1: .*{reason}"):
        list(read_cases([line], "x.jsonl"))


def test_the_command_prints_the_figures_and_the_misses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = {"file": DDP.file, "line": 268, "function": DDP.function}
    cases = [
        {"id": "a", "text": TRACEBACK, "message": MESSAGE, "error_class": "TypeError", "truth_site": site},
        {"id": "b", "text": "ValueError: the moon is full\n", "message": "the moon is full"},
    ]
    path = tmp_path / "pastes.jsonl"
    path.write_text("\n".join(map(json.dumps, cases)), "utf-8")
    assert main(["coverage", str(path)]) == 0
    assert capsys.readouterr().out == (
        "2 pastes\nknown        1 of 2 (50.0 %)\nfirst        1 of 2 (50.0 %)\ntop 3        1 of 2 (50.0 %)\n"
        "exact right  1 of 1 (100.0 %)\nlikely right 0 of 0\n  b  unknown: no record has this message\n"
    )
    assert main(["coverage", "--json", str(path)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["known"], figures["precision"]["exact"]) == (1, {"right": 1, "of": 1})
