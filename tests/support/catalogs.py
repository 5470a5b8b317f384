"""Where the bundled records lie, and how a fixture makes a catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from whyraise.knowledge.catalog import Catalog

MakeCatalog = Callable[[Iterable[Mapping[str, object]]], Catalog]
