"""Records of mined messages: facts of the source, and no advice."""

from typing import Any

import pytest

from tests.support.mined import ORIGIN, mined
from whyraise.mine.raises import raises
from whyraise.mine.scopes import read_module
from whyraise.mine.targets import Origin
from whyraise.mine.to_record import record

SOURCE = '''
class Loader:
    def open(self, path, mode="r"):
        """Open a file of weights.

        More words.
        """
        if mode not in ("r", "w"):
            raise ValueError(f"mode {mode!r} is neither r nor w")
        else:
            try:
                return read(path)
            except OSError as error:
                raise RuntimeError(f"cannot read {path}") from error
'''


def envelope_of(source: str, *, number: int = 0, kind: str = "") -> dict[str, Any]:
    """Return the record of one of the messages of a source, of one kind if it is given."""
    _, module = read_module(source, "thing/core.py")
    found = [raised for raised in mined(source) if kind in ("", raised.kind)]
    envelope = record(found[number], module, ORIGIN)
    assert envelope
    return envelope


def first_paragraph(envelope: dict[str, Any]) -> str:
    return str(envelope["record"]["documentation"].split("\n\n")[0])


def test_a_record_has_the_facts_of_the_source_and_no_advice() -> None:
    envelope = envelope_of(SOURCE)
    fields = envelope["record"]
    assert (envelope["origin"], envelope["licence"], envelope["versions"]) == ("mined", "MIT", ["1.2"])
    assert envelope["site"] == {"function": "Loader.open", "kind": "template", "made": "raise"}
    assert fields["errorMessage"] == "mode {mode} is neither r nor w"
    assert fields["messagePattern"] == r"mode\ (.*?)\ is\ neither\ r\ nor\ w"
    assert (fields["errorClass"], fields["filePath"], fields["lineNumber"]) == ("ValueError", "thing/core.py", 9)
    raising_line = fields["sourceCode"].splitlines()[fields["lineNumber"] - fields["sourceCodeStart"]]
    assert raising_line.startswith("            raise")
    assert fields["triggerScenarios"] == "mode not in ('r', 'w')"
    assert (fields["solutions"], fields["exampleFix"], fields["githubUrl"]) == ([], None, None)


def test_the_documentation_names_function_conditions_place_and_placeholders() -> None:
    assert envelope_of(SOURCE)["record"]["documentation"].split("\n\n") == [
        "`Loader.open` raises this when `mode not in ('r', 'w')` (derived from source: `thing/core.py`, line 9).",
        "Signature: `open(self, path, mode='r')`.",
        "Summary: Open a file of weights.",
        "Placeholders: `mode`.",
    ]
    assert first_paragraph(envelope_of(SOURCE, number=1)) == (
        "`Loader.open` raises this when `not (mode not in ('r', 'w'))` and `OSError` is caught "
        "(derived from source: `thing/core.py`, line 14)."
    )


def test_the_documentation_of_other_kinds_of_messages_uses_another_verb() -> None:
    place = "(derived from source: `thing/core.py`, line {})."
    warning = envelope_of("warnings.warn('the old way is slow')")
    assert first_paragraph(warning) == "The top level of the module gives this warning " + place.format(1)
    logged = envelope_of("def f():\n    logger.error('the disk is full')")
    assert first_paragraph(logged) == "`f` gives this error " + place.format(2)
    rewritten = envelope_of("def f(error):\n    error.args = ('no room is left',)", kind="rewritten")
    assert first_paragraph(rewritten) == "`f` writes this into an exception " + place.format(2)


def test_a_checkout_gives_links_and_excerpts_can_be_left_out() -> None:
    tree, module = read_module(SOURCE, "src/thing/core.py")
    envelope = record(next(raises(tree, module)), module, Origin("o/thing", "1", "", "abc123"), excerpts=False)
    assert envelope
    assert envelope["record"]["githubUrl"] == "https://github.com/o/thing/blob/abc123/src/thing/core.py#L9"
    assert (envelope["record"]["sourceCode"], envelope["record"]["sourceCodeStart"]) == (None, None)


@pytest.mark.parametrize(
    ("statement", "severity", "error_type"),
    [
        ("raise ValueError('the pool is already empty')", "error", "runtime"),
        ("warnings.warn('the pool is already empty')", "warning", "warning"),
        ("logger.warning('the pool is already empty')", "warning", "warning"),
        ("logger.error('the pool is already empty')", "error", "runtime"),
        ("logger.critical('the pool is already empty')", "error", "runtime"),
    ],
)
def test_a_record_says_how_severe_its_message_is(statement: str, severity: str, error_type: str) -> None:
    fields = envelope_of(f"def take():\n    {statement}\n")["record"]
    assert (fields["severity"], fields["errorType"], fields["tags"]) == (severity, error_type, ["mined", severity])
