"""Looks up a text on this machine, according to the settings, or on a server if its URL is given."""

from __future__ import annotations

import os

from whyraise.errors import NotFound
from whyraise.installed.state import mined_knowledge, mining_may_help
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
    min_confidence: Confidence = "possible",
    sources: Sequence[str] = (),
    url: str = "",
) -> Explanation:
    """Explain a text with this machine's records and, unless `sources` are given, with its installed packages.

    `limit` is the maximum number of findings, 0 for the number in the settings. Findings below `min_confidence` are
    left out. `sources` replace the sources in the settings. If `url` is given, only that server is asked. Raises
    `SourceError` and `KnowledgeError` if records or the cache are invalid, `BadInput` if the server gives no answer.
    """
    limit = limit or settings.max_findings
    if url:
        from whyraise.ask.server import ask_server  # noqa: PLC0415  # most texts are answered on this machine

        return drop_below(min_confidence, ask_server(url, text, limit))
    explanation = explain(text, open_catalog(settings, sources), limit=limit)
    certain = bool(explanation.findings) and explanation.findings[0].confidence == "exact"
    if not certain and not sources and settings.grows():
        explanation = _with_installed_packages(explanation, text, settings, limit)
    return drop_below(min_confidence, explanation)


def drop_below(min_confidence: Confidence, explanation: Explanation) -> Explanation:
    """Return an explanation without the findings whose confidence is below the minimum."""
    accepted = CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1]
    findings = tuple(finding for finding in explanation.findings if finding.confidence in accepted)
    return explanation._replace(findings=findings)


def open_catalog(settings: Settings, sources: Sequence[str] = ()) -> Catalog:
    """Open the given sources of records, or else those in the settings, or else the bundled records."""
    return open_sources(choose_sources(settings, sources), settings.cache())


def choose_sources(settings: Settings, sources: Sequence[str] = ()) -> Sequence[str]:
    """Return the given sources of records, or else those in the settings, or else the bundled records."""
    return sources or [source for source in settings.sources.split(os.pathsep) if source] or [bundled_records()]


def open_mined_catalog(settings: Settings) -> Catalog | None:
    """Open the records that have been mined from installed packages, or return None if there are none yet."""
    grown = mined_knowledge(settings.cache())
    return Catalog(grown.path, settings.cache()) if grown else None


def _with_installed_packages(explanation: Explanation, text: str, settings: Settings, limit: int) -> Explanation:
    """Explain a text with mined packages too; return the given explanation if they add nothing."""
    mined = open_mined_catalog(settings)
    explanation = explain(text, mined, limit=limit) if mined else explanation
    if not mining_may_help(explanation):
        return explanation
    from whyraise.installed import from_frames  # noqa: PLC0415  # reads installed packages, which few pastes need

    return from_frames.improve(explanation, text, settings, limit)


# Records mined from the files that frames name. They are kept so that an id from a recent answer can be looked up.
_MAX_RECENT = 1_000


class LocalLookup:
    """Explains texts and returns records on this machine, for a process that answers many requests."""

    def __init__(self, sources: Sequence[str], settings: Settings, *, grows: bool) -> None:
        """Open the sources; if `grows` is true, use mined packages too."""
        self._settings, self._grows = settings, grows
        self._catalog = open_sources(sources, settings.cache())
        self._recent: dict[str, Record] = {}

    def catalog(self) -> Catalog:
        """Return the newest catalog, with packages that have been mined since the last call."""
        grown = mined_knowledge(self._settings.cache()) if self._grows else None
        if grown and grown.path != self._catalog.path:
            self._catalog = Catalog(grown.path, self._settings.cache())
        return self._catalog

    def explain(self, text: str, limit: int) -> Explanation:
        """Explain a text with at most `limit` findings."""
        explanation = explain(text, self.catalog(), limit=limit)
        if not self._grows or not mining_may_help(explanation):
            return explanation
        from whyraise.installed import from_frames  # noqa: PLC0415  # reads installed packages, which few pastes need

        explanation = from_frames.improve(explanation, text, self._settings, limit, whole=False)
        self._recent |= {finding.record.id: finding.record for finding in explanation.findings}
        for oldest in list(self._recent)[:-_MAX_RECENT]:
            self._recent.pop(oldest, None)
        return explanation

    def record_of(self, record_id: str) -> Record:
        """Return the record with this id; raise `NotFound` if there is none."""
        try:
            return self.catalog().record_of(record_id)
        except NotFound:
            if record_id not in self._recent:
                raise
            return self._recent[record_id]
