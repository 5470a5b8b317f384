"""The one way from a text to an answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.installed import PASTE
from tests.support.seed import MESSAGE, SEED, TRACEBACK
from whyraise.ask.answer import answer, answer_stream, answer_with_analysis
from whyraise.ask.knowledge import Knowledge, open_knowledge
from whyraise.settings import Settings


@pytest.fixture
def knowledge(tmp_path: Path) -> Knowledge:
    return open_knowledge(Settings(cache_dir=str(tmp_path)))


def test_the_first_advice_of_a_finding_carries_the_fix_and_its_proof(knowledge: Knowledge) -> None:
    [finding] = answer(TRACEBACK, knowledge).findings
    first, *others = finding.advice
    assert (first.kind, first.source) == ("curated", f"record {SEED}")
    assert "with fabric.no_backward_sync(model" in first.code
    assert first.proof.startswith("Corrected")
    assert [(advice.code, advice.proof) for advice in others] == [("", "")] * len(others)


def test_files_that_frames_name_are_known_at_once_and_their_records_can_be_looked_up(knowledge: Knowledge) -> None:
    found = answer(PASTE, knowledge)
    finding = found.findings[0]
    assert (finding.record.origin, finding.record.site) == ("mined", "iniconfig/__init__.py")
    assert len(found.growing) == 1
    assert knowledge.record_of(finding.record.id) == finding.record
    assert knowledge.search(finding.record.id)[0].id == finding.record.id
    os.waitpid(-1, 0)  # the process that mines the whole package
    again = answer(PASTE, knowledge)
    assert (again.findings[0].record.id, again.growing) == (finding.record.id, ())


def test_the_analysis_is_the_one_that_the_answer_was_made_from(knowledge: Knowledge) -> None:
    found = answer_with_analysis(TRACEBACK, knowledge)
    assert found.analysis.pasted.original == TRACEBACK
    assert found.explanation == answer(TRACEBACK, knowledge)


@pytest.mark.parametrize("size", [10, 1 << 20])
def test_a_log_in_pieces_gets_the_answer_of_the_whole(size: int, knowledge: Knowledge) -> None:
    pieces = (TRACEBACK[start : start + size] for start in range(0, len(TRACEBACK), size))
    assert answer_stream(pieces, knowledge) == answer(TRACEBACK, knowledge)


def test_a_muted_record_is_counted_in_a_log_too(tmp_path: Path) -> None:
    knowledge = open_knowledge(Settings(cache_dir=str(tmp_path), mute=SEED, mine="off"))
    log = [f"{MESSAGE}\n", "x\n" * 3_000_000, f"{MESSAGE}\n"]
    found = answer_stream(log, knowledge)
    assert (found.findings, found.muted) == ((), 1)
