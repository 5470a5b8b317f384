"""What a long-running process on one machine can look up, and that it starts no other process."""

import os
from pathlib import Path

import pytest

from tests.support.installed import PASTE, labels
from tests.support.repository import RECORDS
from tests.support.seed import MESSAGE, SEED
from whyraise.ask.local import LocalLookup
from whyraise.errors import NotFound
from whyraise.installed import grow
from whyraise.settings import Settings


def lookup_in(cache: Path, *, grows: bool = True) -> LocalLookup:
    return LocalLookup([str(RECORDS)], Settings(cache_dir=str(cache)), grows=grows)


def test_files_named_by_frames_are_explained_and_their_records_can_be_looked_up(tmp_path: Path) -> None:
    lookup = lookup_in(tmp_path)
    explanation = lookup.explain(PASTE, 3)
    finding = explanation.findings[0]
    assert (finding.record.origin, finding.record.site, explanation.growing) == ("mined", "iniconfig/__init__.py", ())
    assert lookup.record_of(finding.record.id) == finding.record
    with pytest.raises(ChildProcessError):  # no process was started
        os.waitpid(-1, os.WNOHANG)


def test_packages_mined_meanwhile_are_used_without_a_restart(tmp_path: Path) -> None:
    lookup = lookup_in(tmp_path)
    assert lookup.explain(MESSAGE, 3).findings[0].record.id == SEED
    grow.grow(labels("iniconfig"), str(tmp_path))
    finding = lookup.explain(PASTE, 3).findings[0]
    assert lookup.catalog().record_of(finding.record.id).origin == "mined"


def test_given_sources_are_the_only_ones_used(tmp_path: Path) -> None:
    lookup = lookup_in(tmp_path, grows=False)
    assert "mined" not in [finding.record.origin for finding in lookup.explain(PASTE, 3).findings]
    with pytest.raises(NotFound):
        lookup.record_of("none")
