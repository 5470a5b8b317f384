"""What has been mined into the cache, and whether mining could give a better answer."""

from pathlib import Path

import pytest

from tests.support.installed import PACKAGE, PASTE, labels
from whyraise.installed import grow, state
from whyraise.knowledge.catalog import Catalog, open_file
from whyraise.lookup.explain import explain


def test_a_state_file_that_is_damaged_or_of_another_version_is_replaced(cache: str) -> None:
    assert grow.grow(labels("iniconfig"), cache)
    Path(cache, "grown.json").write_text("{}", "utf-8")
    assert state.mined_knowledge(cache) is None
    assert grow.grow(labels("iniconfig"), cache)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PASTE, True),
        (PASTE.replace("/site-packages/", "\\Lib\\site-packages\\"), True),
        (PASTE.replace(str(PACKAGE), "/home/me/project"), False),
        ("KeyError: 'lr'\n", False),
    ],
)
def test_mining_may_help_only_if_frames_name_installed_files(text: str, expected: bool, bundled: Catalog) -> None:
    assert state.mining_may_help(explain(text, bundled)) is expected


def test_mining_does_not_help_if_the_raising_file_has_been_mined(cache: str) -> None:
    assert grow.grow(labels("iniconfig"), cache)
    mined = state.mined_knowledge(cache)
    assert mined
    assert not state.mining_may_help(explain(PASTE, open_file(mined.path, cache)))
