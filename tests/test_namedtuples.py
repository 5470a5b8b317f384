"""The base of the core's shapes behaves as `typing.NamedTuple` does."""

from __future__ import annotations

import copy
import pickle
import sys
import typing
from collections.abc import Callable
from typing import Any

import pytest

from whyraise.namedtuples import NamedTuple


class Fast(NamedTuple):
    """A shape."""

    name: str
    size: int = 3
    rest: tuple[int, ...] = ()

    @property
    def twice(self) -> int:
        """Twice the size."""
        return self.size * 2


class Standard(typing.NamedTuple):
    """A shape."""

    name: str
    size: int = 3
    rest: tuple[int, ...] = ()

    @property
    def twice(self) -> int:
        """Twice the size."""
        return self.size * 2


USES: dict[str, Callable[[Any], object]] = {
    "positions and defaults": lambda kind: tuple(kind("a")),
    "names": lambda kind: tuple(kind(rest=(1,), name="a")),
    "fields": lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__),
    "values by name": lambda kind: (kind("a", 4).name, kind("a", 4).size, kind("a", 4).twice),
    "representation": lambda kind: repr(kind("a", 4)).partition("(")[2],
    "replacement": lambda kind: tuple(kind("a")._replace(size=9)),
    "making": lambda kind: tuple(kind._make(["a", 1, ()])),
    "dictionary": lambda kind: kind("a")._asdict(),
    "equality and hash": lambda kind: (kind("a") == ("a", 3, ()), hash(kind("a")) == hash(("a", 3, ()))),
    "pickle": lambda kind: pickle.loads(pickle.dumps(kind("a"))) == kind("a"),
    "copy": lambda kind: type(copy.copy(kind("a"))) is kind,
    "documentation": lambda kind: (kind.__doc__, kind.__module__),
    "no other attributes": lambda kind: hasattr(kind("a"), "__dict__"),
}
# What `_replace` of a standard named tuple raises if it is given another name.
NO_SUCH_FIELD = TypeError if sys.version_info >= (3, 13) else ValueError
MISUSES: dict[str, tuple[Callable[[Any], object], type[Exception]]] = {
    "a value too few": (lambda kind: kind(), TypeError),
    "a value too many": (lambda kind: kind(1, 2, (), 4), TypeError),
    "an unknown name": (lambda kind: kind("a", other=1), TypeError),
    "making of too few": (lambda kind: kind._make(["a"]), TypeError),
    "replacing what is not there": (lambda kind: kind("a")._replace(other=1), NO_SUCH_FIELD),
    "setting": (lambda kind: setattr(kind("a"), "name", "b"), AttributeError),
}


@pytest.mark.parametrize("use", USES)
def test_a_shape_behaves_as_a_standard_named_tuple(use: str) -> None:
    assert USES[use](Fast) == USES[use](Standard)


@pytest.mark.parametrize("misuse", MISUSES)
@pytest.mark.parametrize("kind", [Fast, Standard])
def test_misuse_is_an_error(kind: Any, misuse: str) -> None:
    act, error = MISUSES[misuse]
    with pytest.raises(error):
        act(kind)


def test_a_pattern_takes_a_shape_apart() -> None:
    match Fast("a", 4):
        case Fast(name, size):
            assert (name, size) == ("a", 4)
