import pytest

from whyraise.patterns.format_strings import brace_placeholders, field_expression, percent_placeholders, renderings


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("module.__class__.__name__", "module.__class__.__name__"),
        ('", ".join(x)!r:>10', '", ".join(x)'),
        ("x!r", "x"),
        ("x:>{width}", "x"),
        ("a != b", "a != b"),
        ("d['a:b']", "d['a:b']"),
        ("{1: 2}[1]", "{1: 2}[1]"),
        ("value=", "value"),
        ("a == b", "a == b"),
    ],
)
def test_a_placeholder_is_named_by_its_expression_without_conversion_and_format(field: str, name: str) -> None:
    assert field_expression(field) == name


def test_braces_that_are_doubled_or_never_closed_are_literal_text() -> None:
    template = "{{literal}} {a.b!r} { open"
    assert [(found.name, template[found.start : found.end]) for found in brace_placeholders(template)] == [
        ("a.b", "{a.b!r}")
    ]


def test_a_placeholder_may_contain_braces_and_quotes() -> None:
    template = "got {d['}'] + str({1, 2})}!"
    assert [placeholder.name for placeholder in brace_placeholders(template)] == ["d['}'] + str({1, 2})"]


def test_an_unnamed_placeholder_is_named_by_its_number() -> None:
    assert [placeholder.name for placeholder in brace_placeholders("{} of {}")] == ["1", "2"]


def test_percent_placeholders_are_named_and_doubled_signs_are_literal_text() -> None:
    assert [placeholder.name for placeholder in percent_placeholders("100%% of %(name)s is %-5.2f%s")] == [
        "name",
        "%-5.2f",
        "%s",
    ]


def test_a_template_is_rendered_in_each_way_it_may_be_read() -> None:
    assert set(renderings("{{x}} {y} %s")) >= {"{x} v %s", "{{x}} v %s", "{{x}} {y} v", "{{x}} {y} %s"}
