"""Two fuzzers that compare the matcher with Python's `re`: single chains, and whole texts through the index.

Starts and inner captures must be those of `re.finditer`, and nothing that `re` finds may be missed. Whatever is found
beyond that must obey the rules of white space, which are written here as a regex of their own.
"""

import random
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.records import record
from whyraise.knowledge.build import build
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.lookup.explain import find_matches
from whyraise.matching.match import Match, search_text
from whyraise.matching.wording import SHORTEST
from whyraise.patterns.parse import read_pattern
from whyraise.reading import exceptions, paste

PIECES = ("ab", "b", "a b", "c:", " d ", "e\nf", "(x)", ".", " ", "ab ab", "é", "b\n", "\tg")
GAPS = ("x", "ab", "y z", "1", "é", "b", " ", "c: d", "😀")
WORDS = (
    "parameter",
    "gradient",
    "of",
    "tensor",
    "is not",
    "expected",
    "module",
    "was",
    "found",
    "in the",
    "device:",
    "(rank",
)


class Sample(NamedTuple):
    """A chain: its literals, and whether placeholders stand before and after them."""

    literals: list[str]
    leading: bool
    trailing: bool

    def expression(self) -> str:
        """Return the chain as a record writes it."""
        return self._joined([re.escape(literal) for literal in self.literals])

    def rule(self) -> str:
        """Return the chain as the rules of white space allow it in a text without wraps."""
        return self._joined([_rule(literal) for literal in self.literals])

    def template(self) -> str:
        """Return the chain as a message template, one letter for each placeholder."""
        doubled = [literal.replace("{", "{{").replace("}", "}}") for literal in self.literals]
        return "{a}" * self.leading + "{b}".join(doubled) + "{c}" * self.trailing

    def _joined(self, parts: list[str]) -> str:
        return "(.+?)" * self.leading + "(.+?)".join(parts) + "(.+?)" * self.trailing


def _rule(literal: str) -> str:
    """Return a regex for a literal: space where it parts words, none within words, any elsewhere."""
    characters = [(found[2], bool(found[1])) for found in re.finditer(r"(\s*)(\S)", literal)]
    parts: list[str] = []
    for number, (char, spaced) in enumerate(characters):
        if number:
            words = bool(re.match(r"\w", characters[number - 1][0]) and re.match(r"\w", char))
            parts.append((r"\s+" if spaced else "") if words else r"\s*")
        parts.append(re.escape(char))
    return "".join(parts)


def chain(chance: random.Random) -> Sample:
    """Return a chain that does not end in a short literal: what such a one captures is another test's."""
    literals = ["".join(chance.choices(PIECES, k=chance.randint(1, 3))) for _ in range(chance.randint(1, 3))]
    literals = [literal if literal.strip() else literal + "q" for literal in literals]
    literals[-1] += chance.choice(("end", " end", "(end"))
    return Sample(literals, chance.random() < 0.3, chance.random() < 0.3)


def text_for(sample: Sample, chance: random.Random) -> str:
    """Return a text that holds a chain's literals in order now and then, among pieces of them."""
    parts: list[str] = []
    for _ in range(chance.randint(1, 4)):
        for literal in sample.literals:
            parts += [literal if chance.random() < 0.9 else literal.replace(" ", "  "), chance.choice(GAPS)]
        parts += chance.choices((*PIECES, *GAPS, "\n", "\n"), k=chance.randint(0, 4))
    return "".join(parts)


def differences(sample: Sample, text: str, found: Sequence[Match]) -> list[str]:
    """Return how what was found differs from what `re` finds, beyond what the rules allow.

    Matches are compared by where their first literal stands. Left out is what the rule of extents makes different: a
    placeholder at an end that is white space alone, and what stands inside one that runs to the end of the message.
    """
    own = {_first_literal(sample, match): match for match in found}
    expression, wrong = re.compile(sample.expression()), []
    for reference in expression.finditer(text):
        values = list(reference.groups())
        start = reference.end(1) if sample.leading else _unblank(reference)
        match = own.pop(start, None)
        if _blank_end(sample, values):
            continue
        if match is not None and _inner(sample, [one.value for one in match.captures]) != _inner(sample, values):
            wrong.append(f"captures at {start}: {[one.value for one in match.captures]} != {values}")
        if match is None and not _in_trailing(sample, reference.start(), found):
            wrong.append(f"missed at {start}")
    wrong += [f"beyond the rules at {start}" for start, match in own.items() if not _allowed(sample, text, match)]
    return wrong


def _first_literal(sample: Sample, match: Match) -> int:
    return match.captures[0].pieces[-1].end if sample.leading else match.span.start


def _unblank(reference: re.Match[str]) -> int:
    return reference.start() + len(reference[0]) - len(reference[0].lstrip())


def _blank_end(sample: Sample, values: list[str]) -> bool:
    return (sample.leading and not values[0].strip()) or (sample.trailing and not values[-1].strip())


def _in_trailing(sample: Sample, position: int, found: Sequence[Match]) -> bool:
    """Say whether a position is in a placeholder that runs to the end of the message; `re` takes one character."""
    return sample.trailing and any(match.captures[-1].pieces[0].start <= position < match.span.end for match in found)


def _inner(sample: Sample, values: list[str]) -> list[str]:
    return values[1 if sample.leading else 0 : len(values) - 1 if sample.trailing else None]


def _allowed(sample: Sample, text: str, match: Match) -> bool:
    stretch = text[match.span.start : match.span.end]
    # A gap may cross the end of a line that is long enough to have been wrapped there.
    wrapped = re.sub(r"(?m)^(.{30,})\n", r"\1 ", text)[match.span.start : match.span.end]
    rule = sample.rule().replace("(.+?)", r"[^\S\n]*(.+?)[^\S\n]*")
    return any(re.fullmatch(rule, one) for one in (stretch, wrapped))


def fuzz_chains(count: int, seed: int) -> list[str]:
    """Compare that many chains, each in a text made for it, and return the differences."""
    chance, wrong = random.Random(seed), []
    for number in range(count):
        sample = chain(chance)
        text = text_for(sample, chance)
        pattern = read_pattern(sample.expression(), sample.template())
        found = differences(sample, text, search_text(pattern, text))
        wrong += [f"{number}: {sample.literals} {sample.leading} {sample.trailing} in {text!r}: {one}" for one in found]
    return wrong


def fuzz_texts(count: int, seed: int, records: int = 200) -> list[str]:
    """Compare whole texts through the index of many chains, and return the differences."""
    chance, wrong = random.Random(seed), []
    samples = [_wordy(chance) for _ in range(records)]
    with tempfile.TemporaryDirectory() as folder:
        catalog = _catalog(samples, Path(folder))
        for number in range(count):
            text = _document(samples, chance)
            pasted = paste.clean(text)
            every = find_matches(pasted, exceptions.parse(pasted), catalog)
            for which, sample in enumerate(samples):
                whole = [match for match in every if not match.share.truncated_side]
                own = [match for match in whole if match.wording.record_id == f"{which:016x}"]
                found = differences(sample, text, own)
                wrong += [f"{number}: {sample} in {text!r}: {one}" for one in found]
        catalog.close()
    return wrong


def _wordy(chance: random.Random) -> Sample:
    """Return a chain of words, with a literal that is long enough to be found by."""
    while True:
        literals = [" ".join(chance.choices(WORDS, k=chance.randint(2, 5))) for _ in range(chance.randint(1, 3))]
        if max(len(literal.replace(" ", "")) for literal in literals) >= SHORTEST:
            inner = [f" {literal} " for literal in literals]
            return Sample(["".join(inner).strip()] if len(inner) == 1 else _open(inner), False, chance.random() < 0.3)


def _open(inner: list[str]) -> list[str]:
    return [inner[0].lstrip(), *inner[1:-1], inner[-1].rstrip()]


def _catalog(samples: list[Sample], folder: Path) -> Catalog:
    import json  # noqa: PLC0415  # of the large run only

    fields = [record(s.template(), s.expression(), id=f"{number:016x}") for number, s in enumerate(samples)]
    (folder / "records.jsonl").write_text("\n".join(json.dumps(each) for each in fields), "utf-8")
    build([folder / "records.jsonl"], folder / "records.db")
    return open_file(str(folder / "records.db"), str(folder))


def _document(samples: list[Sample], chance: random.Random) -> str:
    """Return lines of words and messages; none is long enough to look wrapped."""
    lines: list[str] = []
    for _ in range(chance.randint(3, 30)):
        if chance.random() < 0.4:
            literals = chance.choice(samples).literals
            values = [chance.choice(("x", "torch.nn.Linear", "3", "größe", "a b")) for _ in literals]
            lines.append("".join(literal + value for literal, value in zip(literals, values, strict=True)))
        else:
            lines.append(" ".join(chance.choices(WORDS, k=chance.randint(0, 6))))
    return "\n\n".join(lines)


def main() -> int:
    """Run both fuzzers at full size."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(2**32)
    wrong = fuzz_chains(100_000, seed) + fuzz_texts(10_000, seed)
    print("\n".join(wrong[:20]) or f"100,000 chains and 10,000 texts agree with re (seed {seed}).")  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
