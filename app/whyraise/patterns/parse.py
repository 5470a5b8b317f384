"""Parses a record's `messagePattern`, so that it can be searched for without running it as a regex.

Nearly every pattern is literal text with `(.+?)` between: a chain. Alternations are expanded into several chains. A
pattern that is not a chain becomes an expression for a linear-time engine (see `to_re2`). Both contain the literals
that a text must contain, so that one scan finds the candidates among any number of patterns.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, product

# The two halves of `re` itself, so that a pattern is parsed once; their public names, `sre_…`, are deprecated.
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import re2

from whyraise.errors import PatternError
from whyraise.patterns import format_strings
from whyraise.patterns.chain import Chain, Expression, Gap
from whyraise.patterns.to_re2 import translate

# A pattern with more chains becomes an expression: the product of many alternations is too long a list.
_MAX_CHAINS = 64

# At the end of a pattern, `.+` and `.+?` mean the same here: up to the end of the message.
_GREEDY_END = re.compile(r"(?<!\\)((?:\\\\)*\.[*+])(\)?)\Z")


class Pattern(NamedTuple):
    """A parsed pattern. `unmatched` is the reason why the pattern is not searched for, or empty if it is."""

    chains: tuple[Chain, ...]
    expression: Expression | None
    unmatched: str


def read_pattern(message_pattern: str, error_message: str) -> Pattern:
    """Parse a pattern and name its gaps after the placeholders of the error message.

    Raises `PatternError` if Python's `re` rejects the pattern.
    """
    try:
        tree = _parser.parse(message_pattern)
        compiled = _compiler.compile(tree)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"the pattern is not a valid regular expression: {error}") from error
    names = _gap_names(compiled, message_pattern, error_message)
    lazy = _GREEDY_END.sub(r"\1?\2", message_pattern)
    chains = _chains(tree if lazy == message_pattern else _parser.parse(lazy), names)
    if chains is not None:
        return Pattern(chains, None, _mismatch(map(_chain_expression, chains), error_message))
    translated = translate(tree, names)
    if isinstance(translated, str):
        return Pattern((), None, translated)
    return Pattern((), translated, _mismatch([translated.text], error_message))


def _mismatch(expressions: Iterable[str], message: str) -> str:
    """Return the reason if no expression matches the record's own message, or an empty text if one does.

    RE2 needs linear time; `re` may never finish on a pattern such as `(a+)+b`, and anybody can publish one.
    """
    searches = [compiled.search for text in expressions if (compiled := _compile_re2(text))]
    texts = format_strings.renderings(message)
    is_matched = any(search(text) for search in searches for text in texts)
    return "" if is_matched else "the pattern does not match the record's own errorMessage"


def _chain_expression(chain: Chain) -> str:
    """Return a chain as an RE2 expression."""
    gaps = ["".join(f".{{{gap.min_length},}}?" for gap in gaps) for gaps in chain.gaps]
    literals = [*map(re.escape, chain.literals), ""]
    return "".join(part for pair in zip(gaps, literals, strict=False) for part in pair)


def _compile_re2(expression: str) -> Any:
    """Return an expression compiled by RE2, or None if RE2 rejects it."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression, options)
    except re2.error:
        return None


def _gap_names(compiled: re.Pattern[str], pattern: str, message: str) -> dict[int, str]:
    """Return the name of each group: that of its placeholder in the message, else its own name or number."""
    names = {number: str(number) for number in range(1, compiled.groups + 1)}
    names |= {number: name for name, number in compiled.groupindex.items()}
    re2_pattern = _compile_re2(pattern)
    for placeholders in (format_strings.brace_placeholders(message), format_strings.percent_placeholders(message)):
        if len(placeholders) == compiled.groups:
            return dict(zip(names, (placeholder.name for placeholder in placeholders), strict=True))
        if re2_pattern and (match := re2_pattern.search(message)):
            starts = {placeholder.start: placeholder.name for placeholder in placeholders}
            names |= {number: starts[match.start(number)] for number in names if match.start(number) in starts}
    return names


# A part of a pattern: literal text or a gap.
_Part = str | Gap


def _chains(tree: Any, names: dict[int, str]) -> tuple[Chain, ...] | None:
    """Return the chains of a parsed pattern, or None if it cannot be written as chains."""
    if tree.state.flags & ~re.UNICODE:
        return None
    wordings = _wordings(tree, names)
    if wordings is None:
        return None
    return tuple(dict.fromkeys(_chain(parts) for parts in wordings))


def _wordings(tree: Iterable[tuple[Any, Any]], names: dict[int, str]) -> list[list[_Part]] | None:
    """Return every alternative of a tree as a list of parts, or None if it cannot be written so."""
    wordings: list[list[_Part]] = [[]]
    for is_literal, nodes in groupby(tree, key=lambda node: node[0] is op.LITERAL):
        if is_literal:
            text = "".join(chr(value) for _, value in nodes)
            wordings = [[*head, text] for head in wordings]
            continue
        for kind, value in nodes:
            choices = _choices(kind, value, names)
            if choices is None or len(wordings) * len(choices) > _MAX_CHAINS:
                return None
            wordings = [[*head, *tail] for head, tail in product(wordings, choices)]
    return wordings


def _choices(kind: Any, value: Any, names: dict[int, str]) -> list[list[_Part]] | None:
    """Return the alternatives of one node of the tree as lists of parts, or None if it cannot be written so."""
    if kind is op.IN and all(inner is op.LITERAL for inner, _ in value):
        return [[chr(char)] for _, char in value]
    if kind is op.BRANCH:
        return _branches(value[1], names)
    if kind is op.SUBPATTERN:
        return _group(value, names)
    if kind is op.MIN_REPEAT or kind is op.MAX_REPEAT:
        return _repeat(kind, value, names)
    return None


def _branches(branches: Iterable[Any], names: dict[int, str]) -> list[list[_Part]] | None:
    choices: list[list[_Part]] = []
    for branch in branches:
        wordings = _wordings(branch, names)
        if wordings is None:
            return None
        choices += wordings
    return choices


def _group(value: Any, names: dict[int, str]) -> list[list[_Part]] | None:
    number, added, removed, inner = value
    if added or removed:
        return None
    if number is None:
        return _wordings(inner, names)
    gap = _wordings(inner, names) if len(inner) == 1 and inner[0][0] in (op.MIN_REPEAT, op.MAX_REPEAT) else None
    if gap is None or not isinstance(gap[0][0], Gap):
        return None
    return [[Gap(names[number], gap[0][0].min_length, captured=True)]]


def _repeat(kind: Any, value: Any, names: dict[int, str]) -> list[list[_Part]] | None:
    minimum, maximum, inner = value
    is_any = len(inner) == 1 and inner[0][0] is op.ANY
    if is_any and minimum <= 1 and maximum is op.MAXREPEAT and kind is op.MIN_REPEAT:
        return [[Gap("", minimum, captured=False)]]
    if (minimum, maximum) == (0, 1):
        wordings = _wordings(inner, names)
        return None if wordings is None else [*wordings, []]
    return None


def _chain(parts: Sequence[_Part]) -> Chain:
    literals: list[str] = []
    gaps: list[list[Gap]] = [[]]
    for part in parts:
        if isinstance(part, Gap):
            gaps[-1].append(part)
        elif literals and not gaps[-1]:
            literals[-1] += part
        else:
            literals.append(part)
            gaps.append([])
    return Chain(tuple(literals), tuple(tuple(gap) for gap in gaps))
