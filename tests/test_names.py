"""Names without their modules."""

import pytest

from whyraise.names import bare_name, record_id


@pytest.mark.parametrize(
    ("dotted", "bare"),
    [("torch.distributed.DistBackendError", "DistBackendError"), ("ValueError", "ValueError"), ("a.", ""), ("", "")],
)
def test_the_bare_name_is_the_last_part_of_a_dotted_name(dotted: str, bare: str) -> None:
    assert bare_name(dotted) == bare


# Ids must never change: people link to them.
PARTS = ("pypi/thing", "thing/pool.py", "Pool.take", "thing.Empty", "nothing in (.+?)")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (PARTS, "88fc54c2ac2bc627"),
        (("unknown", "unknown.py", "", "", ""), "a2efbc3c19c07a19"),
        (("p", "a.py", "f", "E", "\ud800"), "a41143b40f7e92fb"),
    ],
    ids=["all", "few", "surrogate"],
)
def test_ids_never_change(parts: tuple[str, str, str, str, str], expected: str) -> None:
    assert record_id(*parts) == expected


def test_each_part_changes_the_id() -> None:
    changed = [(*PARTS[:index], "other", *PARTS[index + 1 :]) for index in range(len(PARTS))]
    assert len({record_id(*parts) for parts in (PARTS, *changed)}) == len(PARTS) + 1
