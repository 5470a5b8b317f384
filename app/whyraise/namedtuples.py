"""Offers `NamedTuple`, the base of all shapes of the core: `typing.NamedTuple`, rebuilt at run time without `typing`.

Importing `typing` and letting it evaluate every annotation takes 10 ms, half of a bare Python start; the command line
may take four bare starts in all. Type checkers see `typing.NamedTuple` itself.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _NamedTupleMeta(type):
        """Builds a named tuple from a class's annotations, defaults and methods, as `typing` does."""

        def __new__(cls, name, bases, members):
            if not bases:
                return super().__new__(cls, name, bases, members)
            fields = members.get("__annotations__", {})
            defaults = [members.pop(field) for field in fields if field in members]
            built = namedtuple(name, fields, defaults=defaults, module=members["__module__"])
            for key, value in members.items():
                if key not in ("__module__", "__qualname__"):
                    setattr(built, key, value)
            return built

    class NamedTuple(metaclass=_NamedTupleMeta):
        """A tuple with named, typed fields, declared as a class."""
