"""`whyraise run`: a command as it is, and, where it fails, what is known of its failure."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.run.relay import Ended, relay
from whyraise.settings import Settings

if TYPE_CHECKING:
    from whyraise.lookup.explanation import Explanation

# Exit codes of commands that cannot be started, as POSIX has them for `env` and `nice`.
_NOT_FOUND, _NOT_RUN = 127, 126


class Told(NamedTuple):
    """Where an explanation is told beside standard error: files by form (`-` for standard error), and whether to
    GitHub Actions too.

    The files are written after a success as well, since later steps of a pipeline expect them.
    """

    files: Mapping[str, str] = {}
    github: bool = False


def run(command: Sequence[str], settings: Settings, url: str = "", told: Told = Told()) -> int:  # noqa: B008
    """Run a command and return its exit code; after a failure say on standard error what is known of it.

    Where `url` is given, its server is sent the end of the output.
    """
    try:
        ended = relay(command)
    except OSError as error:
        _say(f"{command[0]} cannot be run: {error.strerror}.")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_RUN
    except ValueError as error:  # an empty name, or one with a NUL
        _say(f"{command[0]!r} cannot be run: {error}.")
        return _NOT_FOUND
    if ended.lost:
        _say(f"output of the command was lost: {ended.lost}.")
    if ended.code or told.files:
        try:
            _tell(_explained(ended, settings, url), told)
        except Exception as error:  # noqa: BLE001  # whatever fails here, the exit code is the command's
            _say(f"{'the failure cannot be explained' if ended.code else 'the files cannot be written'}: {error}")
    return ended.code


def _say(words: str) -> None:
    if sys.stderr is not None:  # nobody can be told where it is closed
        print(f"whyraise: {words}", file=sys.stderr)  # noqa: T201


def _explained(ended: Ended, settings: Settings, url: str) -> Explanation:
    from whyraise.ask.local import ask  # noqa: PLC0415  # needed after a failure alone
    from whyraise.run.torchrun import root_cause_first  # noqa: PLC0415

    text = ended.output.decode("utf-8", "replace") if ended.code else ""
    return root_cause_first(ask(text, settings, url=url), text)


def _tell(found: Explanation, told: Told) -> None:
    from whyraise.reporters import select  # noqa: PLC0415

    shown = select.text_of(found, "hint") + (select.text_of(found, "github") if told.github else "")
    shown += "".join(select.text_of(found, form) for form, path in told.files.items() if path == "-")
    if sys.stderr is not None:
        sys.stderr.buffer.write(shown.encode("utf-8", "replace"))
        sys.stderr.flush()
    if told.github:
        select.write_summary(found)
    for form, path in told.files.items():
        if path != "-":
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                file.write(select.text_of(found, form))
