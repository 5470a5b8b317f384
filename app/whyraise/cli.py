"""The command `whyraise`: its arguments, and what they call."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from whyraise import commands
from whyraise.commands import FOUND, USAGE
from whyraise.errors import WhyraiseError
from whyraise.settings import Settings, from_environment
from whyraise.shape import TYPE_CHECKING
from whyraise.version import VERSION

if TYPE_CHECKING:
    from typing import Any

    _Argument = tuple[tuple[str, ...], dict[str, Any]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse(given)
    try:
        return arguments.run(arguments, from_environment(os.environ))  # type: ignore[no-any-return]
    except WhyraiseError as error:
        print(f"whyraise: {error}", file=sys.stderr)  # noqa: T201
        return USAGE
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except KeyboardInterrupt:
        return 130


def _parse(given: list[str]) -> argparse.Namespace:
    """Parse the arguments of the command that is named first; anything else is for the parser that lists them all.

    Parsers of all commands and the width of the terminal take 8 ms to find out, half of a bare Python start.
    """
    for name, words, run, arguments in _COMMANDS:
        if given[:1] == [name]:
            plain = partial(argparse.HelpFormatter, width=100)
            parser = argparse.ArgumentParser(f"whyraise {name}", description=words, formatter_class=plain)
            parser.set_defaults(run=run)
            for flags, options in arguments:
                parser.add_argument(*flags, **options)
            return parser.parse_args(given[1:])
    return _overview().parse_args(given)


def _overview() -> argparse.ArgumentParser:
    names = "".join(f"  {name:10} {words}\n" for name, words, *_ in _COMMANDS)
    parser = argparse.ArgumentParser(
        "whyraise",
        usage="whyraise COMMAND …",
        description="Paste any error, get the known error behind it.",
        epilog=f"commands:\n{names}\n`whyraise COMMAND --help` says more of each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"whyraise {VERSION}")
    parser.add_argument("command", choices=[name for name, *_ in _COMMANDS], metavar="COMMAND", help=argparse.SUPPRESS)
    return parser


_FILE: _Argument = (("file",), {"nargs": "?", "default": "-", "help": "a file, or - for standard input"})
_JSON: _Argument = (("--json",), {"action": "store_true", "help": "print the answer as JSON"})
_MD: _Argument = (("--md",), {"action": "store_true", "help": "print the answer as Markdown"})
_LIMIT: _Argument = (("--limit",), {"type": int, "default": 0, "help": "print so many at the most"})
_RECORDS: _Argument = (
    ("--records",),
    {
        "action": "append",
        "metavar": "SOURCE",
        "help": "look up in this file, folder or URL instead of the bundled records",
    },
)
_SOURCES: _Argument = (("sources",), {"nargs": "+", "metavar": "SOURCE", "help": "a file, folder or URL of records"})
_ID: _Argument = (("id",), {"help": "a record's id"})

_COMMANDS: tuple[tuple[str, str, Callable[[argparse.Namespace, Settings], int], list[_Argument]], ...] = (
    (
        "explain",
        "Find the known errors behind a text.",
        commands.explain_command,
        [_FILE, _JSON, _MD, _LIMIT, _RECORDS],
    ),
    (
        "diagnose",
        "Say why a text does not match a record.",
        commands.diagnose_command,
        [_ID, _FILE, _JSON, _MD, _RECORDS],
    ),
    ("show", "Print one record.", commands.show_command, [_ID, _JSON, _MD, _RECORDS]),
    (
        "search",
        "Find records by words.",
        commands.search_command,
        [(("words",), {"nargs": "+", "help": "words that all stand in the record"}), _JSON, _LIMIT, _RECORDS],
    ),
    ("check", "Print every fault and warning of records.", commands.check_command, [_SOURCES]),
    (
        "coverage",
        "Measure on labelled pastes how much is known and how often the first answer is right.",
        commands.coverage_command,
        [(("file",), {"metavar": "PASTES", "help": "labelled pastes as JSON Lines"}), _JSON, _RECORDS],
    ),
    (
        "build",
        "Compile records into one knowledge file.",
        commands.build_command,
        [_SOURCES, (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the file to write"})],
    ),
    (
        "mine",
        "Turn the source of packages into records of the errors that it can raise.",
        commands.mine_command,
        [
            (
                ("targets",),
                {"nargs": "*", "metavar": "TARGET", "help": "a distribution, archive, folder, or stdlib"},
            ),
            (("--environment",), {"action": "store_true", "help": "mine every installed distribution"}),
            (("-o", "--out"), {"required": True, "metavar": "FILE", "help": "the .jsonl or .jsonl.zst to write"}),
            (("--repo",), {"metavar": "OWNER/NAME", "help": "the repository that a folder is a checkout of"}),
            (("--commit",), {"metavar": "SHA", "help": "the commit of that checkout"}),
            (("--excerpts",), {"choices": ["full", "link"], "default": "full", "help": "quote source, or link to it"}),
        ],
    ),
    (
        "prove",
        "Run the snippets of records in a sandbox, and say what held.",
        commands.prove_command,
        [
            (("record",), {"nargs": "?", "metavar": "ID | PATH", "help": "a record's id, or a folder of records"}),
            (("--all",), {"action": "store_true", "help": "prove every record that has a scenario"}),
            (("--records",), {"metavar": "FOLDER", "help": "look for records here instead of among the bundled ones"}),
            (("--ranks",), {"type": int, "help": "run on so many ranks instead of the scenario's own number"}),
            (("--write",), {"action": "store_true", "help": "write proof.json where verdict or stages changed"}),
            _JSON,
            (
                ("--unconfined",),
                {"action": "store_true", "help": "run without a sandbox: only for code that you trust"},
            ),
        ],
    ),
    (
        "serve",
        "Serve records over HTTP.",
        commands.serve_command,
        [
            (("sources",), {"nargs": "*", "metavar": "SOURCE", "help": "records to serve instead of the bundled ones"}),
            (("--host",), {"default": "127.0.0.1", "help": "the address to listen on"}),
            (("--port",), {"type": int, "default": 8000, "help": "the port to listen on"}),
        ],
    ),
)
