"""What a long-lived process on one machine knows, and that it starts nothing."""

import os
from pathlib import Path

import pytest

from tests.support.installed import PASTE, labels
from tests.support.repository import RECORDS
from tests.support.seed import MESSAGE, SEED
from whyraise.ask.local import Local
from whyraise.errors import NotFound
from whyraise.installed import grow
from whyraise.settings import Settings


def local(cache: Path, *, grows: bool = True) -> Local:
    return Local([str(RECORDS)], Settings(cache_dir=str(cache)), grows=grows)


def test_the_files_that_frames_name_are_known_and_what_was_cited_can_be_asked_for(tmp_path: Path) -> None:
    known = local(tmp_path)
    found = known.explain(PASTE, 3)
    finding = found.findings[0]
    assert (finding.record.origin, finding.record.site, found.growing) == ("mined", "iniconfig/__init__.py", ())
    assert known.record_of(finding.record.id) == finding.record
    with pytest.raises(ChildProcessError):  # nothing was started
        os.waitpid(-1, os.WNOHANG)


def test_what_was_grown_meanwhile_is_known_without_a_new_start(tmp_path: Path) -> None:
    known = local(tmp_path)
    assert known.explain(MESSAGE, 3).findings[0].record.id == SEED
    grow.grow(labels("iniconfig"), str(tmp_path))
    finding = known.explain(PASTE, 3).findings[0]
    assert known.catalog().record_of(finding.record.id).origin == "mined"


def test_records_that_were_asked_for_are_all_that_is_known(tmp_path: Path) -> None:
    known = local(tmp_path, grows=False)
    assert [each.record.origin for each in known.explain(PASTE, 3).findings if each.record.origin == "mined"] == []
    with pytest.raises(NotFound):
        known.record_of("none")
