"""Asks for the known errors behind a text: this machine, as the settings say, or a server where one is named."""

from __future__ import annotations

import os

from whyraise.errors import NotFound
from whyraise.installed.state import asks_for_more, known
from whyraise.knowledge.catalog import Catalog, open_sources
from whyraise.lookup.explain import explain
from whyraise.lookup.explanation import Explanation
from whyraise.matching.evidence import CONFIDENCES
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.records.record import Record
from whyraise.records.sources import bundled_records
from whyraise.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyraise.matching.evidence import Confidence


def ask(  # noqa: PLR0913  # each is an option of the commands
    text: str,
    settings: Settings,
    *,
    limit: int = 0,
    least: Confidence = "possible",
    sources: Sequence[str] = (),
    url: str = "",
) -> Explanation:
    """Return what is known of a text: by this machine's records and, unless others were given, installed packages.

    `limit` is the most findings, 0 for the settings' number. What is believed less than `least` is left out. `sources`
    are looked up in instead of the settings'; where `url` is given, its server is asked instead of all of these. Raises
    `SourceError` and `KnowledgeError` where records or the cache cannot be used, `BadInput` where the server cannot.
    """
    limit = limit or settings.max_findings
    if url:
        from whyraise.ask.server import ask_server  # noqa: PLC0415  # most are answered here

        return believed(ask_server(url, text, limit), least)
    found = explain(text, catalog(settings, sources), limit=limit)
    known = bool(found.findings) and found.findings[0].confidence == "exact"
    if not known and not sources and settings.grows():
        found = _grown(found, text, settings, limit)
    return believed(found, least)


def believed(found: Explanation, least: Confidence) -> Explanation:
    """Return an explanation without the findings that are believed less."""
    kept = CONFIDENCES[: CONFIDENCES.index(least) + 1]
    return found._replace(findings=tuple(each for each in found.findings if each.confidence in kept))


def catalog(settings: Settings, sources: Sequence[str] = ()) -> Catalog:
    """Open the given records, or else those of the settings, or else the bundled ones."""
    return open_sources(chosen(settings, sources), settings.cache())


def chosen(settings: Settings, sources: Sequence[str] = ()) -> Sequence[str]:
    """Return the given sources of records, or else those of the settings, or else the bundled one."""
    return sources or [source for source in settings.sources.split(os.pathsep) if source] or [bundled_records()]


def grown_catalog(settings: Settings) -> Catalog | None:
    """Open what was mined so far, or nothing where nothing was."""
    from whyraise.installed.state import known  # noqa: PLC0415  # most pastes are known without

    grown = known(settings.cache())
    return Catalog(grown.path, settings.cache()) if grown else None


def _grown(found: Explanation, text: str, settings: Settings, limit: int) -> Explanation:
    """Return what installed packages say of a text, or what was found without them where they say nothing."""
    from whyraise.installed import state  # noqa: PLC0415

    mined = grown_catalog(settings)
    known = explain(text, mined, limit=limit) if mined else found
    if not state.asks_for_more(known):
        return known
    from whyraise.installed import from_frames  # noqa: PLC0415  # looks at what is installed, which most pastes do not name

    return from_frames.explained(known, text, settings, limit)


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
