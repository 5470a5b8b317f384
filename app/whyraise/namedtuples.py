"""The base of all shapes of the core: to a type checker `typing.NamedTuple`, and at run time the same without `typing`.

Importing `typing` and letting it look at every annotation takes 10 ms, half of a bare Python start, of the four that
the command line may take.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _Maker(type):
        """Makes a named tuple of a class's annotations and defaults, with its methods, as `typing` does."""

        def __new__(cls, name, bases, members):
            if not bases:
                return super().__new__(cls, name, bases, members)
            fields = members.get("__annotations__", {})
            defaults = [members.pop(field) for field in fields if field in members]
            made = namedtuple(name, fields, defaults=defaults, module=members["__module__"])
            for key, value in members.items():
                if key not in ("__module__", "__qualname__"):
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Maker):
        """A tuple with named, typed fields, declared as a class."""
