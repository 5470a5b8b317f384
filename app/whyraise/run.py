"""`whyraise run`: a command as it is, and, where it fails, what is known of its failure."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from whyraise.relay import Ended, relay
from whyraise.settings import Settings

# Exit codes of commands that cannot be started, as POSIX has them for `env` and `nice`.
_NOT_FOUND, _NOT_RUN = 127, 126


def run(command: Sequence[str], settings: Settings, url: str = "") -> int:
    """Run a command and return its exit code; after a failure say on standard error what is known of it.

    Where `url` is given, its server is sent the end of the output.
    """
    try:
        ended = relay(command)
    except OSError as error:
        print(f"whyraise: {command[0]} cannot be run: {error.strerror}.", file=sys.stderr)  # noqa: T201
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_RUN
    if ended.code:
        try:
            _explain(ended, settings, url)
        except Exception as error:  # noqa: BLE001  # whatever fails here, the exit code is the command's
            print(f"whyraise: the failure cannot be explained: {error}", file=sys.stderr)  # noqa: T201
    return ended.code


def _explain(ended: Ended, settings: Settings, url: str) -> None:
    from whyraise import hint  # noqa: PLC0415  # needed after a failure alone
    from whyraise.ask import ask  # noqa: PLC0415
    from whyraise.elastic import root_cause_first  # noqa: PLC0415

    text = ended.output.decode("utf-8", "replace")
    found = root_cause_first(ask(text, settings, url=url), text)
    sys.stderr.buffer.write(hint.explanation(found).encode("utf-8", "replace"))
    sys.stderr.flush()
