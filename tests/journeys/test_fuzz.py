import random

from tests.support import fuzz
from tests.support.extents import extents
from whyraise.matching.match import search_text
from whyraise.patterns.parse import read_pattern


def test_chains_are_found_where_re_finds_them_with_the_same_inner_captures() -> None:
    assert fuzz.fuzz_chains(2_000, seed=1) == []


def test_whole_texts_give_what_re_finds_for_every_record() -> None:
    assert fuzz.fuzz_texts(100, seed=1, records=60) == []


def test_placeholders_at_the_ends_follow_the_rule_of_extents() -> None:
    chance = random.Random(2)
    for _ in range(1_000):
        sample = fuzz.chain(chance)
        literals = [literal.strip() or "q" for literal in (text.replace("\n", "") for text in sample.literals)]
        literals[-1:] = [chance.choice((".", ")", "'", "!?", literals[-1]))] if len(literals) > 1 else literals[-1:]
        sample = fuzz.Sample(literals, sample.leading, sample.trailing)
        values = [chance.choice(("v.w", "torch.nn.Linear", "3", "(x)")) for _ in range(5)]
        message = values[0] * sample.leading + "".join(
            text + value for text, value in zip(literals[:-1], values[1:], strict=False)
        )
        message += literals[-1] + values[4] * sample.trailing
        expected = extents(literals, message, sample.leading, sample.trailing)
        found = search_text(read_pattern(sample.expression(), sample.template()), message)
        assert [capture.value for capture in found[0].captures] == expected, (sample, message)
