"""What this machine knows, and in which order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.installed import PASTE, labels
from tests.support.records import record
from tests.support.seed import MESSAGE, SEED
from whyraise.ask.answer import answer
from whyraise.ask.knowledge import Knowledge, open_knowledge
from whyraise.ask.project import Project
from whyraise.errors import BadInput, NotFound
from whyraise.installed import grow
from whyraise.settings import Settings

OWN = record("the flux capacitor at {place} is cold", solutions=["Warm it."])


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "team.jsonl"
    path.write_text(json.dumps(OWN), "utf-8")
    return str(path)


def open_in(folder: Path, *records: str, only: bool = False, project: Project | None = None, **set_: str) -> Knowledge:
    settings = Settings(cache_dir=str(folder / "cache"), **set_)  # type: ignore[arg-type]  # all that tests set is text
    return open_knowledge(settings, records, only=only, project=project)


def ids(text: str, knowledge: Knowledge) -> list[str]:
    return [finding.record.id for finding in answer(text, knowledge).findings]


def test_own_records_are_known_beside_the_bundled_ones_and_named_as_their_source(own: str, tmp_path: Path) -> None:
    knowledge = open_in(tmp_path, own, mine="off")
    assert ids(MESSAGE, knowledge) == [SEED]
    [finding] = answer("the flux capacitor at home is cold", knowledge).findings
    assert (finding.record.id, finding.own_source) == (OWN["id"], "team")


def test_own_records_are_named_by_a_setting_too(own: str, tmp_path: Path) -> None:
    assert ids("the flux capacitor at home is cold", open_in(tmp_path, sources=own, mine="off")) == [OWN["id"]]


def test_only_the_given_records_are_known_if_the_user_says_so(own: str, tmp_path: Path) -> None:
    knowledge = open_in(tmp_path, own, only=True)
    assert (ids(MESSAGE, knowledge), ids("the flux capacitor at home is cold", knowledge)) == ([], [OWN["id"]])
    assert answer(PASTE, knowledge).growing == ()


def test_only_needs_records(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There are no records to look up in"):
        open_in(tmp_path, only=True)


@pytest.mark.parametrize("muted", [SEED, f"0000, {SEED}"])
def test_a_muted_record_is_not_shown_and_is_counted(muted: str, tmp_path: Path) -> None:
    found = answer(MESSAGE, open_in(tmp_path, mine="off", mute=muted))
    assert ([finding.record.id for finding in found.findings], found.muted) == ([], 1)


def test_a_project_adds_records_and_mutes_ids(own: str, tmp_path: Path) -> None:
    project = Project("pyproject.toml", own, frozenset([SEED]))
    knowledge = open_in(tmp_path, mine="off", project=project)
    assert (answer(MESSAGE, knowledge).muted, ids("the flux capacitor at home is cold", knowledge)) == (1, [OWN["id"]])
    [finding] = answer("the flux capacitor at home is cold", knowledge).findings
    assert finding.own_source == "team (pyproject.toml)"


def test_a_record_is_found_by_id_by_a_unique_prefix_and_by_slug(tmp_path: Path) -> None:
    knowledge = open_in(tmp_path, mine="off")
    names = (SEED, SEED[:6], "blocking-backward-sync-is-only-possible-if-the-mod")
    full = "Lightning-AI/pytorch-lightning/blocking-backward-sync-is-only-possible-if-the-mod"
    assert [knowledge.record_of(name).id for name in (*names, full)] == [SEED] * 4
    assert [record.id for record in knowledge.search(SEED[:6])] == [SEED]


@pytest.mark.parametrize("name", ["", "75e", "none", "75efde825de8eed0x", "a/b/c", "\ud800", "' OR 1=1 --"])
def test_a_name_that_no_record_has_is_not_found(name: str, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        open_in(tmp_path, mine="off").record_of(name)


def test_a_prefix_of_several_ids_is_not_found_and_the_ids_are_named(own: str, tmp_path: Path) -> None:
    twins = [{**OWN, "id": f"abcd000{number}"} for number in (1, 2)]
    Path(own).write_text("".join(json.dumps(twin) + "\n" for twin in twins), "utf-8")
    with pytest.raises(NotFound, match="'abcd' fits several records: abcd0001, abcd0002"):
        open_in(tmp_path, own, mine="off").record_of("abcd")


def test_packages_mined_meanwhile_are_part_of_the_next_answer(tmp_path: Path) -> None:
    knowledge = open_in(tmp_path, mine="pluggy")
    assert ids(PASTE, knowledge)[0] != ids(MESSAGE, knowledge)[0]
    grow.grow(labels("iniconfig"), str(tmp_path / "cache"))
    finding = answer(PASTE, knowledge).findings[0]
    assert (finding.record.origin, finding.record.site) == ("mined", "iniconfig/__init__.py")
    assert knowledge.record_of(finding.record.id) == finding.record
    assert knowledge.search(finding.record.id)[0].id == finding.record.id


def test_search_ranks_own_and_curated_records_before_mined_ones(own: str, tmp_path: Path) -> None:
    grow.grow(labels("iniconfig"), str(tmp_path / "cache"))
    knowledge = open_in(tmp_path, own, mine="all")
    origins = [record.origin for record in knowledge.search("key", 50)]
    assert origins == sorted(origins, key=["curated", "published", "mined"].index)
    assert {"curated", "mined"} <= set(origins)
