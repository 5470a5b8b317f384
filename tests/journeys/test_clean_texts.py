import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support import awkward, clean_texts
from tests.support.derived import cases
from tests.support.repository import RECORDS
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.lookup.explain import explain


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """All derived and awkward records together with those of this repository."""
    folder = tmp_path_factory.mktemp("all")
    fields = [case.fields for case in cases()] + [awkward.fields(number) for number in range(len(awkward.CASES))]
    (folder / "all.jsonl").write_text("\n".join(json.dumps(each) for each in fields), "utf-8")
    build([folder / "all.jsonl", Path(RECORDS)], folder / "all.db")
    return open_file(str(folder / "all.db"), str(folder))


def test_nothing_is_claimed_in_texts_in_which_nothing_went_wrong(catalog: Catalog) -> None:
    texts = dict(clean_texts.texts())
    assert len(texts) >= 20 + 200
    claimed, counts = [], Counter[str]()
    for name, text in texts.items():
        for finding in explain(text, catalog, limit=100, min_confidence="possible").findings:
            counts[finding.confidence] += 1
            claimed.append((name, finding.confidence, finding.record.error_message, finding.message[:80]))
    assert [one for one in claimed if one[1] != "possible"] == []
    assert counts["possible"] <= 0.5 * len(texts), claimed


def test_the_same_records_are_found_where_something_did_go_wrong(catalog: Catalog) -> None:
    text = "Epoch 3: done\nTraceback (most recent call last):\n" + awkward.traceback(5).partition("\n")[2]
    assert explain(clean_texts.WRITTEN["lightning"] + text, catalog).findings[0].confidence == "exact"
