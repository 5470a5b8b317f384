"""Offers `NamedTuple`, the base of all shapes of the core: `typing.NamedTuple`, rebuilt at run time for a fast start.

Importing `typing` takes 10 ms, half of a bare Python start. `collections.namedtuple` compiles source text for each
class: 0.08 ms, for the 40 classes of one answer a fifth of a bare start. Here the classes of one size share compiled
code, which takes 0.009 ms each. Type checkers see `typing.NamedTuple` itself.
"""

from __future__ import annotations

# The descriptor, written in C, that `collections.namedtuple` uses for its fields.
from _collections import _tuplegetter  # type: ignore[import-not-found]
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    @cache
    def _constructor(size):
        """Return `__new__` for tuples of a size, with parameters that have no names of their own yet."""
        names = "".join(f", a{number}" for number in range(size))
        return eval(f"lambda _cls{names}: new(_cls, ({names[2:]},))", {"new": tuple.__new__})  # noqa: S307  # no input

    def _named_constructor(fields, defaults):
        """Return `__new__` with the fields as its parameters."""
        plain = _constructor(len(fields))
        code = plain.__code__.replace(co_varnames=("_cls", *fields))
        function = type(plain)
        return function(code, plain.__globals__, "__new__", defaults)

    class _NamedTupleMeta(type):
        """Builds a named tuple from a class's annotations, defaults and methods, as `typing` does."""

        def __new__(cls, name, bases, members):
            if tuple in bases:
                return super().__new__(cls, name, bases, members)
            fields = tuple(members.get("__annotations__", {}))
            defaults = {field: members.pop(field) for field in fields if field in members}
            new = _named_constructor(fields, tuple(defaults.values()))
            getters = {field: _tuplegetter(place, None) for place, field in enumerate(fields)}
            kept = {"__slots__": (), "__match_args__": fields, "_fields": fields, "_field_defaults": defaults}
            return type.__new__(cls, name, bases, {**members, **getters, **kept, "__new__": new})

    class NamedTuple(tuple, metaclass=_NamedTupleMeta):
        """A tuple with named, typed fields, declared as a class."""

        __slots__ = ()
        _fields = ()

        @classmethod
        def _make(cls, values):
            """Return a tuple of this class with the values of an iterable."""
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}.")
            return made

        def _replace(self, /, **values):
            """Return the tuple with other values of some fields."""
            made = self._make(map(values.pop, self._fields, self))
            if values:
                raise ValueError(f"{type(self).__name__} has no fields {list(values)}.")
            return made

        def _asdict(self):
            """Return the values by field."""
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(self)
