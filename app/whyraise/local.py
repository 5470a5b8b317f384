"""What one machine knows, for a process that answers many texts: the records it was given or the bundled ones, and
beside those what installed packages can raise.

Nothing is started for it that could outlive the process: whole packages are known where `whyraise grow`, `explain` or
`serve` mined them, and of others the files that a paste's frames name.
"""

from __future__ import annotations

from collections.abc import Sequence

from whyraise.errors import NotFound
from whyraise.installed.state import asks_for_more, known
from whyraise.knowledge.catalog import Catalog, open_sources
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Explanation
from whyraise.records.record import Record
from whyraise.settings import Settings

# Records of files that frames named, kept so that an id which was just cited can be asked for.
_MOST_RECENT = 1_000


class Local:
    """Looks up on this machine; one text at a time or many."""

    def __init__(self, sources: Sequence[str], settings: Settings, *, grows: bool) -> None:
        """Open the sources; where it grows, mined packages are known too."""
        self._settings, self._grows = settings, grows
        self._catalog = open_sources(sources, settings.cache())
        self._recent: dict[str, Record] = {}

    def catalog(self) -> Catalog:
        """Return the catalog of all that is known by now."""
        grown = known(self._settings.cache()) if self._grows else None
        if grown and grown.path != self._catalog.path:
            self._catalog = Catalog(grown.path, self._settings.cache())
        return self._catalog

    def explain(self, text: str, limit: int) -> Explanation:
        """Return the answer to a text."""
        found = explain(text, self.catalog(), limit=limit)
        if not self._grows or not asks_for_more(found):
            return found
        from whyraise.installed import from_frames  # noqa: PLC0415  # looks at what is installed, which most pastes do not name

        found = from_frames.explained(found, text, self._settings, limit, whole=False)
        self._recent |= {each.record.id: each.record for each in found.findings}
        for oldest in list(self._recent)[:-_MOST_RECENT]:
            self._recent.pop(oldest, None)
        return found

    def record_of(self, record_id: str) -> Record:
        """Return the record of an id; raise `NotFound` where there is none."""
        try:
            return self.catalog().record_of(record_id)
        except NotFound:
            if record_id not in self._recent:
                raise
            return self._recent[record_id]
