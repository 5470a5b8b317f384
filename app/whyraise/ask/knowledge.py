"""What this machine knows: the user's own records, the bundled ones, and those mined from installed packages."""

from __future__ import annotations

import os

from whyraise.errors import BadInput, NotFound
from whyraise.files import MINED_STATE
from whyraise.knowledge.cache import knowledge_file
from whyraise.knowledge.catalog import Catalog
from whyraise.knowledge.open_file import OpenFile
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.records.sources import bundled_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyraise.ask.project import Project
    from whyraise.lookup.explanation import Explanation
    from whyraise.records.record import Record
    from whyraise.settings import Settings

# The most files of mined records that stay open: of each paste whose packages are still being mined, one.
_MAX_RECENT = 16


class Knowledge:
    """All that this machine knows, for one answer or for a process that gives answers for weeks.

    Files are opened once. What was mined since the last answer is part of the next one.
    """

    def __init__(
        self,
        settings: Settings,
        own: Sequence[tuple[Sequence[str], str | None]],
        muted: frozenset[str],
        *,
        is_service: bool,
    ) -> None:
        """Open the records; use `open_knowledge` instead."""
        self.settings = settings
        self.muted = muted
        self._cache = settings.cache()
        self._is_service = is_service
        self._files = [OpenFile(knowledge_file(sources, self._cache), self._cache, own=note) for sources, note in own]
        if not settings.only:
            self._files.append(OpenFile(knowledge_file([bundled_records()], self._cache), self._cache))
        self._catalog = Catalog(*self._files)
        self._mined = ""
        self._recent: dict[str, OpenFile] = {}

    def catalog(self) -> Catalog:
        """Return all that is known by now, without the packages that are still being mined."""
        if not self.settings.grows() or not os.path.exists(os.path.join(self._cache, MINED_STATE)):
            return self._catalog
        from whyraise.installed.state import mined_knowledge  # noqa: PLC0415  # a fresh machine has mined nothing

        mined = mined_knowledge(self._cache)
        if mined and mined.path != self._mined:
            self._catalog = Catalog(*self._files, OpenFile(mined.path, self._cache))
            self._mined = mined.path
        return self._catalog

    def mine_frames(self, explanation: Explanation) -> Catalog | None:
        """Return all that is known with what the files can raise that an explanation's frames name.

        Returns None if that would add nothing: the packages are mined already, or what raised is known.
        """
        if not self.settings.grows() or not any(block.frames for block in explanation.exceptions):
            return None
        from whyraise.installed.state import mining_may_help  # noqa: PLC0415  # messages without frames need none

        if not mining_may_help(explanation):
            return None
        from whyraise.installed.from_frames import mine_frames  # noqa: PLC0415  # few pastes need it

        mined = mine_frames(explanation.exceptions, self.settings, any_path=not self._is_service)
        return mined and Catalog(*self.catalog().files, self._open(mined.path), growing=mined.growing)

    def everything(self) -> Catalog:
        """Return all that is known, with what was mined for recent answers, so that each id in them is found."""
        if not self.settings.grows():
            return self.catalog()
        from whyraise.installed.from_frames import recent_files  # noqa: PLC0415  # most ids are found without

        recent = (self._open(path) for path in recent_files(self._cache)[:_MAX_RECENT])
        return Catalog(*self.catalog().files, *recent)

    def _open(self, path: str) -> OpenFile:
        if path not in self._recent:
            self._recent = dict(list(self._recent.items())[1 - _MAX_RECENT :])
            self._recent[path] = OpenFile(path, self._cache)
        return self._recent[path]

    def find(self, name: str) -> tuple[Record, Catalog]:
        """Return the record with an id, a unique prefix of one, or a slug, and a catalog that has it.

        Raises `NotFound` if there is none.
        """
        catalog = self.catalog()
        try:
            return catalog.record_of(name), catalog
        except NotFound:
            catalog = self.everything()
            return catalog.record_of(name), catalog

    def record_of(self, name: str) -> Record:
        """Return the record with an id, a unique prefix of one, or a slug; raise `NotFound` if there is none."""
        return self.find(name)[0]

    def search(self, words: str, limit: int = 10) -> tuple[Record, ...]:
        """Return the record that `words` name and those that contain all words, own and curated ones first."""
        return self.everything().search(words, limit)


def open_knowledge(
    settings: Settings,
    records: Sequence[str] = (),
    *,
    only: bool = False,
    project: Project | None = None,
    is_service: bool = False,
) -> Knowledge:
    """Open what this machine knows, according to the settings.

    `records` are sources of the user's own records beside those in the settings and the project; with `only` nothing
    else is looked up in. With `is_service` the texts come from anybody, so they do not choose which files of other
    interpreters are read. Raises `SourceError` and `KnowledgeError` if records or the cache are invalid, `BadInput` if
    `only` is given without records.
    """
    settings = settings._replace(only=int(only or settings.only))
    given = [*records, *(source for source in settings.sources.split(os.pathsep) if source)]
    if settings.only and not given:
        raise BadInput("There are no records to look up in: name some, or leave out `--only` and WHYRAISE_ONLY.")
    # Records that are alone need no name that tells them from others.
    own: list[tuple[Sequence[str], str | None]] = [(given, None if settings.only else "")] if given else []
    muted = frozenset(name.strip() for name in settings.mute.split(",") if name.strip())
    if project and not settings.only:
        own += [([project.records], f" ({os.path.basename(project.file)})")] if project.records else []
        muted |= project.muted
    return Knowledge(settings, own, muted, is_service=is_service)
