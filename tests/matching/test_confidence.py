"""How far a cause is believed, given the exception that a package raised after it."""

import pytest

from tests.support.catalogs import MakeCatalog
from tests.support.records import record
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain

FIRST = record("the socket of the store was closed early", filePath="src/store/socket.py", errorClass="OSError")
LAST = record("no worker could be reached at all", filePath="thing/pool.py", errorClass="PoolError")
SEPARATORS = {
    "during": "During handling of the above exception, another exception occurred:",
    "of": "The above exception was the direct cause of the following exception:",
}
INSTALLED = "/home/user/.venv/lib/python3.11/site-packages/thing/pool.py"
OWN = "/home/user/project/train.py"


def chain(file: str, relation: str = "during") -> str:
    return f"""Traceback (most recent call last):
  File "/home/user/.venv/lib/python3.11/site-packages/store/socket.py", line 10, in read
    raise OSError("the socket of the store was closed early")
OSError: the socket of the store was closed early

{SEPARATORS[relation]}

Traceback (most recent call last):
  File "/home/user/project/train.py", line 3, in <module>
    run()
  File "{file}", line 10, in run
    raise PoolError("no worker could be reached at all")
thing.pool.PoolError: no worker could be reached at all
"""


def found(text: str, catalog: Catalog) -> list[tuple[object, str]]:
    findings = explain(text, catalog).findings
    return [(finding.record.fields["errorClass"], finding.confidence) for finding in findings]


@pytest.mark.parametrize("relation", sorted(SEPARATORS))
def test_a_cause_is_only_possible_if_the_last_exception_is_a_packages_and_unknown(
    relation: str, make_catalog: MakeCatalog
) -> None:
    catalog = make_catalog([FIRST])
    [finding] = explain(chain(INSTALLED, relation), catalog).findings
    assert finding.confidence == "possible"
    assert ("chain", "a package raised another exception after it, and less is known about that") in finding.evidence


def test_a_last_exception_of_the_users_own_code_does_not_limit_its_cause(make_catalog: MakeCatalog) -> None:
    assert found(chain(OWN), make_catalog([FIRST])) == [("OSError", "exact")]


def test_a_last_exception_that_only_ends_the_program_does_not_limit_its_cause(make_catalog: MakeCatalog) -> None:
    text = chain(INSTALLED).rpartition("thing.pool.PoolError")[0] + "SystemExit: 1\n"
    assert found(text, make_catalog([FIRST])) == [("OSError", "exact")]


def test_the_last_exception_comes_first_if_it_is_known(make_catalog: MakeCatalog) -> None:
    assert found(chain(INSTALLED), make_catalog([FIRST, LAST])) == [("PoolError", "exact"), ("OSError", "exact")]
