"""The command `whyraise`: parses the arguments and calls a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace

from whyraise.cli import lookup_commands, record_commands, server_commands
from whyraise.cli.exit_codes import FOUND, USAGE
from whyraise.errors import WhyraiseError
from whyraise.namedtuples import TYPE_CHECKING
from whyraise.settings import Settings, from_environment
from whyraise.version import VERSION

if TYPE_CHECKING:
    import argparse
    from typing import Any

    _Argument = tuple[tuple[str, ...], dict[str, Any]]
    _Run = Callable[[SimpleNamespace, Settings], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = _parse(list(sys.argv[1:] if argv is None else argv))
    try:
        return arguments.run(arguments, from_environment(os.environ))  # type: ignore[no-any-return]
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
    for name, description, run, arguments in _COMMANDS:
        if argv[:1] == [name]:
            return _parse_simple(argv[1:], run, arguments) or _parse_command(
                name, description, run, arguments, argv[1:]
            )
    return _overview().parse_args(argv, SimpleNamespace())


def _parse_simple(argv: list[str], run: _Run, arguments: list[_Argument]) -> SimpleNamespace | None:
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
    name: str, description: str, run: _Run, arguments: list[_Argument], argv: list[str]
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

    commands = "".join(f"  {name:10} {description}\n" for name, description, *_ in _COMMANDS)
    parser = argparse.ArgumentParser(
        "whyraise",
        usage="whyraise COMMAND …",
        description="Paste any error, get the known error behind it.",
        epilog=f"commands:\n{commands}\n`whyraise COMMAND --help` describes a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"whyraise {VERSION}")
    parser.add_argument("command", choices=[name for name, *_ in _COMMANDS], metavar="COMMAND", help=argparse.SUPPRESS)
    return parser


_FILE: _Argument = (("file",), {"nargs": "?", "default": "-", "help": "a file, or - for standard input"})
_JSON: _Argument = (("--json",), {"action": "store_true", "help": "print the answer as JSON"})
_MD: _Argument = (("--md",), {"action": "store_true", "help": "print the answer as Markdown"})
_HINT: _Argument = (("--hint",), {"action": "store_true", "help": "print the answer in a few lines"})
_GITHUB: _Argument = (
    ("--github",),
    {"action": "store_true", "help": "annotate lines in GitHub Actions, and add the answer to the step's summary"},
)
_SARIF: _Argument = (("--sarif",), {"action": "store_true", "help": "print the answer as SARIF 2.1.0"})
_JSONL: _Argument = (("--jsonl",), {"action": "store_true", "help": "print one line of JSON per finding, for editors"})
_MIN_CONFIDENCE: _Argument = (
    ("--min-confidence",),
    {
        "choices": ["exact", "likely", "possible"],
        "default": "possible",
        "help": "leave out findings below this confidence",
    },
)
_LIMIT: _Argument = (("--limit",), {"type": int, "default": 0, "help": "maximum number of results"})
_RECORDS: _Argument = (
    ("--records",),
    {
        "action": "append",
        "metavar": "SOURCE",
        "help": "use the records of this file, folder or URL instead of the bundled ones",
    },
)
_URL: _Argument = (
    ("--url",),
    {"default": "", "metavar": "URL", "help": "send the text to this server instead of looking it up on this machine"},
)
_SOURCES: _Argument = (("sources",), {"nargs": "+", "metavar": "SOURCE", "help": "a file, folder or URL of records"})
_ID: _Argument = (("id",), {"help": "a record's id"})

_COMMANDS: tuple[tuple[str, str, _Run, list[_Argument]], ...] = (
    (
        "explain",
        "Find the known errors behind a text.",
        lookup_commands.explain_command,
        [_FILE, _JSON, _MD, _HINT, _GITHUB, _SARIF, _JSONL, _LIMIT, _MIN_CONFIDENCE, _RECORDS, _URL],
    ),
    (
        "run",
        "Run a command unchanged, and explain its failure.",
        lookup_commands.run_command,
        [
            _URL,
            _GITHUB,
            (("--sarif",), {"metavar": "FILE", "help": "write the findings to this file as SARIF, or - for stderr"}),
            (
                ("--jsonl",),
                {"metavar": "FILE", "help": "write the findings to this file as JSON Lines, or - for stderr"},
            ),
            (("command",), {"nargs": "...", "metavar": "-- COMMAND …", "help": "the command and its arguments"}),
        ],
    ),
    (
        "diagnose",
        "Print why a text does not match a record.",
        lookup_commands.diagnose_command,
        [_ID, _FILE, _JSON, _MD, _RECORDS],
    ),
    ("show", "Print one record.", lookup_commands.show_command, [_ID, _JSON, _MD, _RECORDS]),
    (
        "search",
        "Find records that contain all of the given words.",
        lookup_commands.search_command,
        [(("words",), {"nargs": "+", "help": "words; a record must contain all of them"}), _JSON, _LIMIT, _RECORDS],
    ),
    ("check", "Print every fault and warning of records.", record_commands.check_command, [_SOURCES]),
    (
        "coverage",
        "Measure how many labelled pastes are known, and how often the first finding is right.",
        record_commands.coverage_command,
        [(("file",), {"metavar": "PASTES", "help": "labelled pastes as JSON Lines"}), _JSON, _RECORDS],
    ),
    (
        "build",
        "Compile records into one knowledge file.",
        record_commands.build_command,
        [_SOURCES, (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the file to write"})],
    ),
    (
        "mine",
        "Turn the source code of packages into records of the errors that it can raise.",
        record_commands.mine_command,
        [
            (
                ("targets",),
                {"nargs": "*", "metavar": "TARGET", "help": "a distribution, an archive, a folder, or stdlib"},
            ),
            (("--environment",), {"action": "store_true", "help": "mine every installed distribution"}),
            (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the .jsonl or .jsonl.zst to write"}),
            (("--repo",), {"metavar": "OWNER/NAME", "help": "the repository that the folder is a checkout of"}),
            (("--commit",), {"metavar": "SHA", "help": "the commit of that checkout"}),
            (
                ("--excerpts",),
                {"choices": ["full", "link"], "default": "full", "help": "quote the source code, or only link to it"},
            ),
        ],
    ),
    (
        "grow",
        "Mine installed packages into the cache, once for all later lookups.",
        record_commands.grow_command,
        [
            (
                ("targets",),
                {"nargs": "*", "metavar": "TARGET", "help": "distributions or stdlib; default: all that is installed"},
            )
        ],
    ),
    (
        "prove",
        "Run the snippets of records in a sandbox, and print which of them hold.",
        record_commands.prove_command,
        [
            (("record",), {"nargs": "?", "metavar": "ID | PATH", "help": "a record's id, or a folder of records"}),
            (("--all",), {"action": "store_true", "help": "prove every record that has a scenario"}),
            (
                ("--records",),
                {"metavar": "FOLDER", "help": "look for records in this folder instead of the bundled ones"},
            ),
            (("--ranks",), {"type": int, "help": "number of ranks to run on; default: the number in the scenario"}),
            (("--write",), {"action": "store_true", "help": "write proof.json if the verdict or the stages changed"}),
            _JSON,
            (
                ("--unconfined",),
                {"action": "store_true", "help": "run without a sandbox; only for code that you trust"},
            ),
        ],
    ),
    ("mcp", "Serve one chatbot over MCP on standard input and output.", server_commands.mcp_command, [_RECORDS]),
    (
        "serve",
        "Serve records over HTTP.",
        server_commands.serve_command,
        [
            (("sources",), {"nargs": "*", "metavar": "SOURCE", "help": "records to serve instead of the bundled ones"}),
            (("--host",), {"default": "127.0.0.1", "help": "the address to listen on"}),
            (("--port",), {"type": int, "default": 8000, "help": "the port to listen on"}),
        ],
    ),
)
