"""`whyraise run`: runs a command unchanged and, if it fails, explains the failure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from whyraise.namedtuples import TYPE_CHECKING, NamedTuple
from whyraise.run.relay import Result, relay

if TYPE_CHECKING:
    from whyraise.lookup.explanation import Explanation

# Exit codes for commands that cannot be started, as POSIX defines them for `env` and `nice`.
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126


class Reports(NamedTuple):
    """The reports to write besides the hint: a file path by format (`-` for standard error), and GitHub annotations.

    The files are written after a success as well, since later steps of a pipeline expect them.
    """

    files: Mapping[str, str] = {}
    github: bool = False


def run(command: Sequence[str], explain: Callable[[str], Explanation], reports: Reports = Reports()) -> int:  # noqa: B008
    """Run a command and return its exit code; after a failure, print a hint about it to standard error.

    `explain` answers a text; it is called only after a failure, with the end of the output.
    """
    try:
        result = relay(command)
    except OSError as error:
        _print_message(f"{command[0]} cannot be run: {error.strerror}.")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
    except ValueError as error:  # an empty name, or one with a NUL
        _print_message(f"{command[0]!r} cannot be run: {error}.")
        return _NOT_FOUND
    if result.lost:
        _print_message(f"output of the command was lost: {result.lost}.")
    if result.code or reports.files:
        try:
            _report(_explained(result, explain), reports)
        except Exception as error:  # noqa: BLE001  # the exit code is the command's, whatever fails here
            problem = "the failure cannot be explained" if result.code else "the files cannot be written"
            _print_message(f"{problem}: {error}")
    return result.code


def _print_message(message: str) -> None:
    if sys.stderr is not None:  # None if standard error is closed
        print(f"whyraise: {message}", file=sys.stderr)  # noqa: T201


def _explained(result: Result, explain: Callable[[str], Explanation]) -> Explanation:
    from whyraise.run.torchrun import root_cause_first  # noqa: PLC0415

    text = result.output.decode("utf-8", "replace") if result.code else ""
    return root_cause_first(explain(text), text)


def _report(explanation: Explanation, reports: Reports) -> None:
    from whyraise.reporters import select  # noqa: PLC0415

    text = select.text_of(explanation, "hint") + (select.text_of(explanation, "github") if reports.github else "")
    text += "".join(
        select.text_of(explanation, output_format) for output_format, path in reports.files.items() if path == "-"
    )
    if sys.stderr is not None:
        sys.stderr.buffer.write(text.encode("utf-8", "replace"))
        sys.stderr.flush()
    if reports.github:
        select.write_summary(explanation)
    for output_format, path in reports.files.items():
        if path != "-":
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                file.write(select.text_of(explanation, output_format))
