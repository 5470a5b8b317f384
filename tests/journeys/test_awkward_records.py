import json
from pathlib import Path

import pytest

from tests.support import awkward
from tests.support.repository import RECORDS
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Finding


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("awkward")
    lines = [json.dumps(awkward.fields(number)) for number in range(len(awkward.CASES))]
    (folder / "awkward.jsonl").write_text("\n".join(lines), "utf-8")
    built = build([folder / "awkward.jsonl", Path(RECORDS)], folder / "awkward.db")
    assert (built.faults, built.unmatched) == ((), ())
    return open_file(str(folder / "awkward.db"), str(folder))


def found(finding: Finding, text: str) -> tuple[str, list[tuple[str, str]]]:
    return text[finding.spans[0].start : finding.spans[-1].end], [(one.name, one.value) for one in finding.captures]


def test_there_are_at_least_forty_of_them() -> None:
    assert len(awkward.CASES) >= 40


@pytest.mark.parametrize("number", range(len(awkward.CASES)), ids=lambda n: awkward.CASES[n].template)
def test_an_awkward_message_in_a_traceback_finds_its_record_first(number: int, catalog: Catalog) -> None:
    text, case = awkward.traceback(number), awkward.CASES[number]
    first = explain(text, catalog).findings[0]
    assert (first.record.id, first.confidence) == (f"{number:016x}", "exact")
    assert found(first, text) == (case.message.lstrip("\n"), case.captures)


@pytest.mark.parametrize(
    "number",
    [n for n in range(len(awkward.CASES)) if not awkward.is_weak(n)],
    ids=lambda n: awkward.CASES[n].template,
)
def test_an_awkward_bare_message_finds_its_record_first(number: int, catalog: Catalog) -> None:
    text, case = awkward.CASES[number].message + "\n", awkward.CASES[number]
    first = explain(text, catalog).findings[0]
    assert first.record.id == f"{number:016x}"
    assert found(first, text) == (case.message.lstrip("\n"), case.captures)


@pytest.mark.parametrize("text", ["'left'", "x is y", "KeyError: 'left'", "TypeError: x is y"])
def test_a_record_without_literals_is_never_found_without_class_and_frame(text: str, catalog: Catalog) -> None:
    assert explain(text, catalog, min_confidence="possible").findings == ()
