"""The command `whyraise`: parses the arguments and calls a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace

from whyraise.cli.arguments import COMMANDS
from whyraise.cli.exit_codes import FOUND, USAGE
from whyraise.errors import WhyraiseError
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.settings import from_environment

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from whyraise.cli.arguments import Argument


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = _parse(list(sys.argv[1:] if argv is None else argv))
    try:
        module, _, name = arguments.run.partition(".")
        # `importlib` does the same, and its import takes a twentieth of a bare Python start.
        command = getattr(__import__(f"whyraise.cli.{module}", fromlist=[name]), name)
        return command(arguments, from_environment(os.environ))  # type: ignore[no-any-return]
    except WhyraiseError as error:
        print(f"whyraise: {error}", file=sys.stderr)  # noqa: T201
        return USAGE
    except BrokenPipeError:  # the program that reads our output has stopped
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except KeyboardInterrupt:
        return 130


def _parse(argv: list[str]) -> SimpleNamespace:
    """Return the arguments of the command in `argv[0]`; without a known command, print the help or an error and exit.

    Importing `argparse` and creating a parser takes half as long as a bare Python start, so a command without options
    is parsed without it.
    """
    for name, description, run, arguments in COMMANDS:
        if argv[:1] == [name]:
            return _parse_simple(argv[1:], run, arguments) or _parse_command(
                name, description, run, arguments, argv[1:]
            )
    return _overview().parse_args(argv, SimpleNamespace())


def _parse_simple(argv: list[str], run: str, arguments: list[Argument]) -> SimpleNamespace | None:
    """Parse at most one positional argument without `argparse`.

    Returns None if there are options or more arguments, or if the command has no optional positional argument.
    """
    first, *others = arguments
    optional = not first[0][0].startswith("-") and first[1].get("nargs") == "?"
    if not optional or len(argv) > 1 or argv[:1] == [""] or (argv and argv[0].startswith("-") and argv[0] != "-"):
        return None
    values = {
        flags[0].lstrip("-").replace("-", "_"): options.get("default", _default(options)) for flags, options in others
    }
    return SimpleNamespace(run=run, **{first[0][0]: argv[0] if argv else first[1].get("default")}, **values)


def _default(options: dict[str, Any]) -> bool | None:
    return False if options.get("action") == "store_true" else None


def _parse_command(
    name: str, description: str, run: str, arguments: list[Argument], argv: list[str]
) -> SimpleNamespace:
    import argparse  # noqa: PLC0415

    formatter = partial(argparse.HelpFormatter, width=100)
    parser = argparse.ArgumentParser(f"whyraise {name}", description=description, formatter_class=formatter)
    parser.set_defaults(run=run)
    for flags, options in arguments:
        parser.add_argument(*flags, **options)
    return parser.parse_args(argv, SimpleNamespace())


def _overview() -> argparse.ArgumentParser:
    """Return the parser that lists all commands."""
    import argparse  # noqa: PLC0415

    from whyraise.version import VERSION  # noqa: PLC0415

    commands = "".join(f"  {name:10} {description}\n" for name, description, *_ in COMMANDS)
    parser = argparse.ArgumentParser(
        "whyraise",
        usage="whyraise COMMAND …",
        description="Paste any error, get the known error behind it.",
        epilog=f"commands:\n{commands}\n`whyraise COMMAND --help` describes a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"whyraise {VERSION}")
    parser.add_argument("command", choices=[name for name, *_ in COMMANDS], metavar="COMMAND", help=argparse.SUPPRESS)
    return parser
