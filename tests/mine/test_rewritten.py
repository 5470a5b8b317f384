"""Messages that are written into an exception which other code raised."""

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.mined import ORIGIN, mined, rendered
from whyraise.lookup.explain import explain
from whyraise.mine.scopes import read_module
from whyraise.mine.to_record import record

IN_HANDLER = """
def f(a):
    try:
        g()
    except OSError as e:
        e.args = (f'no room is left for the files of {a}', *e.args[1:])
        raise
"""
EXTENDED = """
def f(a):
    try:
        g()
    except OSError as e:
        e.args = (e.args[0] + f' (while {a} was read)',) + e.args[1:]
        raise
"""
BY_HELPER = """
def augment(error, text):
    error.args = tuple(text if isinstance(arg, str) else arg for arg in error.args)

def f(error: BaseException):
    augment(error, text='all parameters must be used')
"""
OF_A_TASK = BY_HELPER.replace("error: BaseException", "error: Task")
OWN = """
class E(Exception):
    def __init__(self):
        self.args = ('not of anybody else',)
"""


@pytest.mark.parametrize(
    ("source", "messages"),
    [
        pytest.param(IN_HANDLER, ["no room is left for the files of {a}"], id="args set in a handler"),
        pytest.param(EXTENDED, ["{e.args[0]} (while {a} was read)"], id="the old text is extended"),
        pytest.param(BY_HELPER, ["all parameters must be used"], id="a helper is given the text"),
        pytest.param(OF_A_TASK, [], id="a helper is given no exception"),
        pytest.param(OWN, [], id="a class sets its own"),
    ],
)
def test_a_text_written_into_an_exception_is_read(source: str, messages: list[str]) -> None:
    assert [rendered(raised.template) for raised in mined(source) if raised.kind == "rewritten"] == messages


def test_a_rewritten_message_is_found_wherever_it_was_raised(make_catalog: MakeCatalog) -> None:
    module = read_module(IN_HANDLER, "thing/core.py")[1]
    rewritten = [raised for raised in mined(IN_HANDLER) if raised.kind == "rewritten"]
    envelopes = [record(raised, module, ORIGIN) for raised in rewritten]
    catalog = make_catalog([envelope for envelope in envelopes if envelope])
    frame = '  File "/home/user/.venv/lib/python3.11/site-packages/other/disk.py", line 4, in write\n    flush(file)\n'
    message = "OSError: no room is left for the files of me\n"
    findings = explain(f"Traceback (most recent call last):\n{frame}{message}", catalog).findings
    assert [(finding.record.site, finding.confidence) for finding in findings] == [("thing/core.py", "likely")]
