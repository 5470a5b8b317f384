"""The first record is found through every kind of noise, with spans of the original paste."""

import html

import pytest

from tests.support import noises
from tests.support.pasted import NOISES, interleaved
from tests.support.seed import MESSAGE, SEED
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain


def without_whitespace(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", NOISES)
def test_the_first_record_is_found_through_noise_with_captures_and_spans_of_the_original(
    name: str, bundled: Catalog
) -> None:
    text = NOISES[name]
    finding = explain(text, bundled).findings[0]
    assert (finding.record.id, finding.confidence in ("exact", "likely")) == (SEED, True)
    assert [capture.value for capture in finding.captures] == ["_DDPBackwardSyncControl", "torch.nn.Linear"]
    undo = noises.NOISES[name.removeprefix("also ")].undo if name.startswith("also ") else html.unescape
    marked = without_whitespace(undo("".join(text[span.start : span.end] for span in finding.spans)))
    assert marked.replace("\x1b[0m", "").replace("\uff1a", ":") == without_whitespace(MESSAGE)


def test_ranks_with_the_same_error_are_one_finding_with_their_ranks(bundled: Catalog) -> None:
    [finding] = explain(interleaved(), bundled).findings
    assert [occurrence.rank for occurrence in finding.occurrences] == [0, 1]
    assert [occurrence.line for occurrence in finding.occurrences] == [13, 14]
