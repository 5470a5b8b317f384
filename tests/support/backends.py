"""What the tools of a chatbot look things up with, over one catalog."""

from __future__ import annotations

from whyraise.advice.curated import advise
from whyraise.chat.tools import Backend
from whyraise.knowledge.catalog import Catalog
from whyraise.lookup.explain import explain


def backend_of(catalog: Catalog, base_url: str) -> Backend:
    return Backend(
        lambda text, limit: advise(explain(text, catalog, limit=limit)), catalog.record_of, catalog.search, base_url
    )
