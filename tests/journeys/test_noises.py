"""Any record's message is found through any one or two layers of noise, and marked on the right characters."""

import random

import pytest

from tests.support.derived import cases, equal, traceback
from tests.support.noises import pasted
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain

SEED = 20261201
LEAST = 0.995


def failure(number: int, catalog: Catalog) -> str:
    """Return what is wrong with the answer to a generated paste, or nothing."""
    chance = random.Random(f"{SEED} {number}")
    case = chance.choice(cases())
    text, noises, undo = pasted(traceback(case), chance)
    where = f"{number}: {case.message!r} through {noises}"
    findings = explain(text, catalog, min_confidence="possible").findings
    own = [found for found in findings if case.fields["id"] in (found.record.id, *found.same_as)]
    if not own or not equal(own[0], findings[0]):
        return f"{where}: {findings[0].record.error_message if findings else 'nothing'} was found"
    for place in own[0].occurrences:
        marked = undo("".join(text[span.start : span.end] for span in place.spans))
        if "".join(marked.split()) != "".join(case.message.split()):
            return f"{where}: marked {marked!r}"
    return ""


def failures(count: int, catalog: Catalog) -> list[str]:
    return [wrong for number in range(count) if (wrong := failure(number, catalog))]


def test_records_are_found_through_noise_with_the_right_characters_marked(derived: Catalog) -> None:
    wrong = failures(1000, derived)
    assert len(wrong) <= (1 - LEAST) * 1000, "\n".join(wrong)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_20_000_pastes_with_noise_are_read_right(derived: Catalog) -> None:
    wrong = failures(20_000, derived)
    print("\n".join(wrong))  # noqa: T201
    assert len(wrong) <= (1 - LEAST) * 20_000, "\n".join(wrong)
