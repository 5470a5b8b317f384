"""Messages that are written anew into an exception which other code raised."""

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.mined import mined
from whyraise.lookup.explain import explain
from whyraise.mine.scopes import read_module
from whyraise.mine.targets import Origin
from whyraise.mine.to_record import record

IN_HANDLER = """
def f(a):
    try:
        g()
    except OSError as e:
        e.args = (f'no room is left for the files of {a}', *e.args[1:])
        raise
"""
MORE_SAID = """
def f(a):
    try:
        g()
    except OSError as e:
        e.args = (e.args[0] + f' (while {a} was read)',) + e.args[1:]
        raise
"""
BY_HELPER = """
def augment(error, text):
    error.args = tuple(text if isinstance(each, str) else each for each in error.args)

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
        pytest.param(MORE_SAID, ["{e.args[0]} (while {a} was read)"], id="what was said, and more"),
        pytest.param(BY_HELPER, ["all parameters must be used"], id="a helper is given the text"),
        pytest.param(OF_A_TASK, [], id="a helper is given no exception"),
        pytest.param(OWN, [], id="a class sets its own"),
    ],
)
def test_what_is_written_anew_into_an_exception_is_read(source: str, messages: list[str]) -> None:
    found = [one.template for one in mined(source) if one.kind == "rewritten"]
    shown = ["".join(each if isinstance(each, str) else f"{{{each.source}}}" for each in one) for one in found]
    assert shown == messages


def test_a_rewritten_message_is_found_wherever_it_was_raised(make_catalog: MakeCatalog) -> None:
    module = read_module(IN_HANDLER, "thing/core.py")[1]
    anew = [one for one in mined(IN_HANDLER) if one.kind == "rewritten"]
    made = [record(one, module, Origin("pypi/thing", "1.2", "", "")) for one in anew]
    catalog = make_catalog([envelope for envelope in made if envelope])
    frame = '  File "/home/user/.venv/lib/python3.11/site-packages/other/disk.py", line 4, in write\n    flush(it)\n'
    said = "OSError: no room is left for the files of me\n"
    found = explain(f"Traceback (most recent call last):\n{frame}{said}", catalog).findings
    assert [(each.record.site, each.confidence) for each in found] == [("thing/core.py", "likely")]
