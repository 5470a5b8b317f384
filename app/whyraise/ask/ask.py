"""Opens what a command, a plugin or a hook asks: this machine in the current folder, or a server that it names."""

from __future__ import annotations

import os

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whyraise.ask.knowledge import Knowledge
    from whyraise.ask.project import Project
    from whyraise.lookup.explanation import Explanation
    from whyraise.matching.evidence import Confidence
    from whyraise.settings import Settings


class Options(NamedTuple):
    """What the user chose.

    `limit` is the maximum number of findings, 0 for the number in the settings. `records` are sources of the user's own
    records; with `only` nothing else is looked up in. If `url` is given, that server is asked instead of this machine,
    and with `as_is` the text is sent with what looks like a secret in it.
    """

    settings: Settings
    limit: int = 0
    min_confidence: Confidence | None = None
    records: Sequence[str] = ()
    only: bool = False
    url: str = ""
    as_is: bool = False


def open_asker(options: Options) -> Callable[[str], Explanation]:
    """Return the function that explains a text.

    Raises `SourceError` and `KnowledgeError` if records or the cache are invalid; the function raises `BadInput` if the
    server gives no answer.
    """
    limit = options.limit or options.settings.max_findings
    if options.url:
        from whyraise.ask.server import ask_server  # noqa: PLC0415  # most texts are answered on this machine

        return lambda text: ask_server(text, options.url, limit, options.min_confidence, as_is=options.as_is)
    from whyraise.ask.answer import answer  # noqa: PLC0415

    knowledge = open_here(options.settings, options.records, only=options.only)
    return lambda text: answer(text, knowledge, limit=limit, min_confidence=options.min_confidence)


def open_here(settings: Settings, records: Sequence[str] = (), *, only: bool = False) -> Knowledge:
    """Open what this machine knows, with the records of the project that the current folder belongs to."""
    from whyraise.ask.knowledge import open_knowledge  # noqa: PLC0415

    return open_knowledge(settings, records, only=only, project=_project(os.getcwd()))


def _project(folder: str) -> Project | None:
    """Return what the project of a folder says: the nearest folder, from there upwards, with a `pyproject.toml`."""
    while not os.path.isfile(path := os.path.join(folder, "pyproject.toml")):
        folder, previous = os.path.dirname(folder), folder
        if folder == previous:
            return None
    from whyraise.ask.project import read_project  # noqa: PLC0415

    return read_project(path)
