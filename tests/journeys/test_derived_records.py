"""Every message that the standard library raises leads back to its own record, with what its placeholders stood for."""

from tests.support.derived import Case, cases, equal, traceback
from tests.support.extents import extents
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Finding
from whyraise.matching import wording
from whyraise.patterns.chain import Chain
from whyraise.patterns.parse import read_pattern


def chain_of(case: Case) -> Chain:
    [chain] = read_pattern(str(case.fields["messagePattern"]), str(case.fields["errorMessage"])).chains
    return chain


def expected(case: Case) -> list[tuple[str, str]]:
    chain = chain_of(case)
    values = extents(list(chain.literals), case.message, bool(chain.gaps[0]), bool(chain.gaps[-1]))
    assert values is not None
    return list(zip((name for name, _ in case.captures), values, strict=True))


def wrong(case: Case, text: str, derived: Catalog) -> str:
    """Return what is wrong with the answer to a text that holds a case's message, or nothing."""
    findings = explain(text, derived, min_confidence="possible").findings
    if not findings:
        return f"not found: {case.message!r}"
    own = [finding for finding in findings if case.fields["id"] in (finding.record.id, *finding.same_as)]
    if not own:
        return f"another record is found: {case.message!r}: {findings[0].record.error_message!r}"
    if own[0] is not findings[0] and not equal(own[0], findings[0]):
        return f"not first: {case.message!r}: {findings[0].record.error_message!r}"
    return wrong_places(case, text, own[0])


def wrong_places(case: Case, text: str, own: Finding) -> str:
    start = text.rindex(case.message)
    span = (start, start + len(case.message.rstrip()))  # white space at the end is the first thing that a paste loses
    if (own.spans[0].start, own.spans[-1].end) != span:
        return f"wrong span: {case.message!r}: {text[own.spans[0].start : own.spans[-1].end]!r}"
    captures = [(capture.name, capture.value) for capture in own.captures]
    return "" if captures == expected(case) else f"wrong captures: {captures} != {expected(case)}"


def test_at_least_a_thousand_records_are_derived() -> None:
    assert len(cases()) >= 1000


def test_each_message_in_a_traceback_finds_its_record_first_among_equals(derived: Catalog) -> None:
    assert [found for case in cases() if (found := wrong(case, traceback(case), derived))] == []


def test_each_bare_message_with_text_of_its_own_finds_its_record_first_among_equals(derived: Catalog) -> None:
    with_text = [case for case in cases() if wording.anchors(chain_of(case))]
    assert len(with_text) >= 1000
    assert [found for case in with_text if (found := wrong(case, case.message + "\n", derived))] == []
