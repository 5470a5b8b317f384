"""How far what is known of an exception answers for the one that a package raised of it."""

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain
from whyraise.source_paths import is_installed, same_file

FIRST = record("the socket of the store was closed early", filePath="src/store/socket.py", errorClass="OSError")
LAST = record("no worker could be reached at all", filePath="thing/pool.py", errorClass="PoolError")
HEADS = {
    "during": "During handling of the above exception, another exception occurred:",
    "of": "The above exception was the direct cause of the following exception:",
}
INSTALLED = "/home/user/.venv/lib/python3.11/site-packages/thing/pool.py"
OWN = "/home/user/project/train.py"


def chain(file: str, how: str = "during") -> str:
    return f"""Traceback (most recent call last):
  File "/home/user/.venv/lib/python3.11/site-packages/store/socket.py", line 10, in read
    raise OSError("the socket of the store was closed early")
OSError: the socket of the store was closed early

{HEADS[how]}

Traceback (most recent call last):
  File "/home/user/project/train.py", line 3, in <module>
    run()
  File "{file}", line 10, in run
    raise PoolError("no worker could be reached at all")
thing.pool.PoolError: no worker could be reached at all
"""


def found(text: str, catalog: Catalog) -> list[tuple[object, str]]:
    return [(one.record.fields["errorClass"], one.confidence) for one in explain(text, catalog).findings]


@pytest.mark.parametrize("how", sorted(HEADS))
def test_where_a_package_raised_last_and_that_is_not_known_what_led_to_it_is_only_possible(
    how: str, make_catalog: MakeCatalog
) -> None:
    catalog = make_catalog([FIRST])
    [finding] = explain(chain(INSTALLED, how), catalog).findings
    assert finding.confidence == "possible"
    assert ("chain", "less is known of what was raised after it, by a package") in finding.evidence


def test_the_users_own_last_exception_can_be_known_to_nobody_and_limits_nothing(make_catalog: MakeCatalog) -> None:
    assert found(chain(OWN), make_catalog([FIRST])) == [("OSError", "exact")]


def test_an_exception_that_only_ends_the_program_limits_nothing(make_catalog: MakeCatalog) -> None:
    text = chain(INSTALLED).rpartition("thing.pool.PoolError")[0] + "SystemExit: 1\n"
    assert found(text, make_catalog([FIRST])) == [("OSError", "exact")]


def test_what_a_package_raised_last_comes_first_where_it_is_known(make_catalog: MakeCatalog) -> None:
    assert found(chain(INSTALLED), make_catalog([FIRST, LAST])) == [("PoolError", "exact"), ("OSError", "exact")]


@pytest.mark.parametrize(
    ("pasted", "known", "same"),
    [
        ("rich/table.py", "rich/table.py", True),
        ("rich/table.py", "lib/rich/table.py", True),
        ("rich/table.py", "pip/_vendor/rich/table.py", False),
        ("pip/_vendor/rich/table.py", "pip/_vendor/rich/table.py", True),
        ("table.py", "rich/table.py", False),
        ("rich/table.py", "prich/table.py", False),
    ],
)
def test_a_copy_that_another_package_carries_is_a_file_of_its_own(pasted: str, known: str, same: bool) -> None:
    assert (same_file(pasted, known), same_file(known, pasted)) == (same, same)


@pytest.mark.parametrize(
    ("path", "installed"),
    [
        (INSTALLED, True),
        ("/usr/lib/python3.11/json/decoder.py", True),
        (r"C:\Users\me\AppData\Local\Programs\Python\Python311\Lib\json\decoder.py", True),
        (r"D:\env\Lib\site-packages\thing\pool.py", True),
        (r"C:\ProgramData\Anaconda3\lib\json\decoder.py", True),
        ("/usr/lib/pypy3.10/json/decoder.py", True),
        ("<frozen importlib._bootstrap>", True),
        (OWN, False),
        ("/home/user/lib/python/train.py", False),
    ],
)
def test_a_path_shows_whether_a_file_is_installed(path: str, installed: bool) -> None:
    assert is_installed(path) is installed
